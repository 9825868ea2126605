import type { HttpRequest } from '@azure/functions';
import functions from '@azure/functions';
import { describe, expect, it } from 'vitest';
import { listBatches } from '../../../shared/http/batches/list-batches.ts';
import type { App } from '../../../shared/http/edge/app.ts';
import { ROUTES } from '../../../shared/http/routes.ts';
import { registry } from '../../../workloads/index.ts';
import { BAD_NAMES } from '../../helpers/data/bad-names.ts';

/** Clients that fail the test when they are called. */
const storage = new Proxy(
  {},
  {
    get: (_target, name) => {
      throw new Error(`Storage was reached: ${String(name)}.`);
    },
  },
);
/** The dependencies of every handler: `registry` is real, everything else is storage. */
const deps = {
  ...{ registry, table: storage, container: storage, gate: storage, meter: storage },
  pool: undefined,
};
const app = {
  ...{ registry, basis: storage, settings: {}, uploadPlaces: storage, redrivePlaces: storage },
  ...{ clients: () => ({ gates: storage }), assets: { files: [] } },
  ...{ deps: () => deps, wakeDeps: () => deps, requestDeps: () => deps },
} as unknown as App;

const listing = { registry, table: storage, gate: { table: storage, now: () => 0 } } as never;

const parameterOf = (path: string): string | undefined => /\{(\w+)\}/.exec(path)?.[1];
const withParameter = ROUTES.filter(({ path }) => parameterOf(path) !== undefined);

const requestOf = (params: Record<string, string>, query: Record<string, string> = {}): HttpRequest =>
  new functions.HttpRequest({ url: 'http://localhost/api/x', method: 'GET', params, query });

describe('an invalid name in a path is not found, without any call to storage', () => {
  it.each(withParameter)('$method $path', async ({ path, handler }) => {
    const names = [
      ...BAD_NAMES,
      '__proto__',
      'constructor',
      "'",
      'open',
      'a#b',
      'a?b',
      '01985a00-0000-7000-8000-00000000000/',
    ];
    for (const bad of names) {
      const ask = async () => handler(app)(requestOf({ [parameterOf(path) ?? '']: bad }), storage as never);
      await expect(ask(), JSON.stringify(bad)).rejects.toMatchObject({ type: 'not-found' });
    }
  });
});

describe('an invalid name in a query is refused, without any call to storage', () => {
  it.each(['after', 'day', 'workload', 'state'])('GET batches?%s=', async (parameter) => {
    for (const bad of BAD_NAMES) {
      const ask = async () => listBatches(listing, requestOf({}, { [parameter]: bad }));
      await expect(ask(), JSON.stringify(bad)).rejects.toMatchObject({ type: 'invalid-parameter' });
    }
  });
});
