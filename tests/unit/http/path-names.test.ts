import type { HttpRequest } from '@azure/functions';
import functions from '@azure/functions';
import { describe, expect, it } from 'vitest';
import { cancelOverHttp } from '../../../shared/http/batches/cancel-batch.ts';
import { deleteOverHttp } from '../../../shared/http/batches/delete-batch.ts';
import { getReport } from '../../../shared/http/batches/downloads/get-report.ts';
import { getResults } from '../../../shared/http/batches/downloads/get-results.ts';
import { listBatches } from '../../../shared/http/batches/list-batches.ts';
import { pauseOverHttp, resumeOverHttp } from '../../../shared/http/batches/pause-batch.ts';
import { submitOverHttp } from '../../../shared/http/batches/upload/submit-batch.ts';
import { tryOverHttp } from '../../../shared/http/batches/upload/try-upload.ts';
import { dashboardFile } from '../../../shared/http/dashboard/dashboard.ts';
import { getDeadLetters } from '../../../shared/http/dead-letters/get-dead-letters.ts';
import { discardDeadLetters, redriveDeadLetters } from '../../../shared/http/dead-letters/redrive-dead-letters.ts';
import { batchOf } from '../../../shared/http/edge/request/parameters.ts';
import { importBatch } from '../../../shared/http/inbox/import-batch.ts';
import { getItems } from '../../../shared/http/items/find-items.ts';
import { getItem } from '../../../shared/http/items/get-item.ts';
import { clearOverHttp } from '../../../shared/http/queues/clear-queue.ts';
import { getQueue } from '../../../shared/http/queues/get-queue.ts';
import { drainNow, pauseQueue, resumeQueue } from '../../../shared/http/queues/pause-queue.ts';
import { getPolicy, putPolicy } from '../../../shared/http/queues/policy.ts';
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
  ...{ registry, table: storage, container: storage, gate: storage, settings: storage, prices: storage, deps: storage },
  now: () => 0,
  pool: undefined,
} as never;

const listing = { registry, table: storage, gate: { table: storage, now: () => 0 } } as never;

const redriving = { deps, settings: storage, slots: storage } as never;

/** All functions with a path parameter. Add new ones here. */
const HANDLERS: Record<string, (request: HttpRequest) => unknown> = {
  'submit-batch': (request) => submitOverHttp(deps, request),
  'try-upload': (request) => tryOverHttp(deps, request),
  'import-batch': (request) => importBatch(deps, request),
  'get-batch': (request) => batchOf(request, storage as never),
  'get-results': (request) => getResults(deps, request),
  'get-report': (request) => getReport(deps, request),
  'get-dead-letters': (request) => getDeadLetters(deps, request),
  'get-item': (request) => getItem(deps, request),
  'find-items': (request) => getItems(deps, request),
  'redrive-dead-letters': (request) => redriveDeadLetters(redriving, request),
  'discard-dead-letters': (request) => discardDeadLetters(redriving, request),
  'cancel-batch': (request) => cancelOverHttp({ deps, basis: storage as never }, request),
  'pause-batch': (request) => pauseOverHttp({ deps, basis: storage as never }, request),
  'resume-batch': (request) => resumeOverHttp({ deps, basis: storage as never }, request),
  'delete-batch': (request) => deleteOverHttp(deps, request),
  'get-queue': (request) => getQueue(deps, request),
  'pause-queue': (request) => pauseQueue(deps, request),
  'resume-queue': (request) => resumeQueue(deps, request),
  'clear-queue': (request) => clearOverHttp(deps, request),
  'drain-now': (request) => drainNow(deps, request),
  'get-policy': (request) => getPolicy(deps, request),
  'put-policy': (request) => putPolicy(deps, request),
  'dashboard-file': (request) => dashboardFile({ files: [] } as never, request),
};
const parameterOf = (route: string): string | undefined => /\{(\w+)\}/.exec(route)?.[1];
const withParameter = ROUTES.filter(({ route }) => parameterOf(route) !== undefined);

const requestOf = (params: Record<string, string>, query: Record<string, string> = {}): HttpRequest =>
  new functions.HttpRequest({ url: 'http://localhost/api/x', method: 'GET', params, query });

describe('an invalid name in a path is not found, without any call to storage', () => {
  it.each(withParameter)('$method $route', async ({ name, route }) => {
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
      const ask = async () => HANDLERS[name]?.(requestOf({ [parameterOf(route) ?? '']: bad }));
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
