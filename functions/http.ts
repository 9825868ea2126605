/** Registers the HTTP functions: one for each route of the table. */
import { app } from '@azure/functions';
import { recordActions } from '../shared/http/audit/record-actions.ts';
import { createAnswering } from '../shared/http/edge/answers.ts';
import { isOpen, type Route } from '../shared/http/edge/route.ts';
import type { Registration } from './app.ts';

export function registerHttp({ durableClient, getDrainClient, pipeline, routes, shared }: Registration): void {
  const answering = createAnswering({
    overhead: pipeline.overhead,
    record: recordActions({
      table: () => pipeline.deps().table,
      now: () => pipeline.meter.serviceNowMs(),
      isAuthenticated: pipeline.settings.isAuthenticated,
    }),
  });
  for (const route of routes) {
    if (route.wakes) {
      const handle = route.handler(shared);
      app.http(route.name, {
        ...registrationOf(route),
        extraInputs: [durableClient],
        handler: answering(route, (request, context) => handle(request, getDrainClient(context))),
      });
    } else {
      app.http(route.name, { ...registrationOf(route), handler: answering(route, route.handler(shared)) });
    }
  }
}

const registrationOf = (route: Route) => ({
  route: route.path,
  methods: [route.method],
  authLevel: isOpen(route) ? ('anonymous' as const) : ('function' as const),
});
