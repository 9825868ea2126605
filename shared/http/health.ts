import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../contract/names.ts';
import { statusOf, toError } from '../errors.ts';
import { readEntity, type Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { withinTime } from '../time-limit.ts';
import { GATES_PARTITION } from '../wake/gate-row.ts';
import type { Registry } from '../workload/registry.ts';
import { json } from './answers.ts';
import type { Health } from './operator-schemas.ts';

export interface HealthHttp {
  registry: Registry;
  pool: string | undefined;
  /** Made only when a deep check is asked for. */
  storage: () => {
    table: Table;
    container: (name: string) => ContainerClient;
    depthOf: (queue: string) => Promise<number>;
  };
  nowMs: () => number;
}

/** The route asks for no key, so that its checks must not cost more than three operations in this time. */
const KEEP_MS = 30_000;
const NAME = 'health';
/** The SDKs try again for longer than anybody waits who asks for health. */
const PATIENCE_MS = 10_000;

/** GET health: that the app answers, without any storage call; `?deep` asks storage too, once in 30 s a process. */
export function createHealth(deps: HealthHttp): (request: HttpRequest) => Promise<HttpResponseInit> {
  let kept: { atMs: number; checks: Promise<Checks> } | undefined;
  const checks = (): Promise<Checks> => {
    if (kept === undefined || deps.nowMs() - kept.atMs >= KEEP_MS) {
      kept = { atMs: deps.nowMs(), checks: checkStorage(deps) };
    }
    return kept.checks;
  };
  return async (request) => {
    const workloads = deps.registry.workloads.map(({ name }) => name);
    const health: Health = { status: 'ok', pool: deps.pool ?? null, workloads };
    if (!request.query.has('deep')) return json(health);
    const found = await checks();
    const ok = Object.values(found).every((check) => check === 'ok');
    return json({ ...health, status: ok ? 'ok' : 'failing', checks: found }, { status: ok ? 200 : 503 });
  };
}

type Checks = NonNullable<Health['checks']>;

/** Nothing of these names has to be there: an answer is what counts. */
async function checkStorage({ storage, registry }: HealthHttp): Promise<Checks> {
  const { table, container, depthOf } = storage();
  const queue = registry.queues()[0]?.queue ?? NAME;
  const [tables, queues, blobs] = await Promise.all([
    check('table', () => readEntity(table, GATES_PARTITION, NAME)),
    check('queue', () => depthOf(queue)),
    check('blob', () => container(CONTAINERS.results).getBlobClient(NAME).getProperties()),
  ]);
  return { table: tables, queue: queues, blob: blobs };
}

async function check(service: string, ask: () => Promise<unknown>): Promise<'ok' | 'failed'> {
  try {
    await withinTime(ask(), PATIENCE_MS, service);
    return 'ok';
  } catch (error) {
    if (statusOf(error) === 404) return 'ok';
    log.warn('health-check-failed', { service, error: toError(error) });
    return 'failed';
  }
}
