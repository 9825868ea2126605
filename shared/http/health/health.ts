import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { errorCodeOf, MissingResourceError, statusOf, toError } from '../../errors.ts';
import { readEntity, type Table } from '../../storage/table.ts';
import { log } from '../../telemetry/log.ts';
import { withinTime } from '../../time-limit.ts';
import type { Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import type { Health } from './schemas.ts';

export interface HealthHttp {
  registry: Registry;
  pool: string | undefined;
  instance: string | undefined;
  /** Made only when a deep check is asked for. */
  storage: () => {
    tables: readonly Table[];
    container: (name: string) => ContainerClient;
    depthOf: (queue: string) => Promise<number>;
  };
  nowMs: () => number;
}

/** The route asks for no key, so that its checks are made at most once in this time: some dozen operations. */
const KEEP_MS = 30_000;
const NAME = 'health';
/** The SDKs try again for longer than anybody waits who asks for health. */
const PATIENCE_MS = 10_000;

/** GET health: that the app answers, without any storage call; `?deep` asks storage too, at most once per 30 s and process. */
export function createHealth(deps: HealthHttp): (request: HttpRequest) => Promise<HttpResponseInit> {
  let kept: { atMs: number; found: Promise<Found> } | undefined;
  const look = (): Promise<Found> => {
    if (kept === undefined || deps.nowMs() - kept.atMs >= KEEP_MS) {
      kept = { atMs: deps.nowMs(), found: checkStorage(deps) };
    }
    return kept.found;
  };
  return async (request) => {
    const workloads = deps.registry.workloads.map(({ name }) => name);
    const health: Health = { status: 'ok', pool: deps.pool ?? null, instance: deps.instance ?? null, workloads };
    if (!request.query.has('deep')) return json(health);
    const found = await look();
    const ok = found.problems.length === 0;
    return json({ ...health, status: ok ? 'ok' : 'failing', ...found }, { status: ok ? 200 : 503 });
  };
}

interface Found {
  checks: NonNullable<Health['checks']>;
  problems: NonNullable<Health['problems']>;
}
type Service = keyof Found['checks'];

/** A part of storage that has to be there, and how to ask for it. */
interface Resource {
  service: Service;
  name: string;
  ask: () => Promise<unknown>;
}

/** One operation each. Queues are made when they are first used, so that one stands for all: it shows the right to ask. */
function resourcesOf({ storage, registry }: HealthHttp): Resource[] {
  const { tables, container, depthOf } = storage();
  const queue = registry.queues()[0]?.queue ?? NAME;
  const declared = registry.workloads.flatMap(({ containers }) => containers);
  return [
    ...tables.map((table): Resource => {
      const { tableName } = table;
      return { service: 'table', name: `table ${tableName}`, ask: () => readEntity(table, NAME, NAME) };
    }),
    { service: 'queue', name: `queue ${queue}`, ask: () => depthOf(queue) },
    ...[...new Set([...Object.values(CONTAINERS), ...declared])].map((name): Resource => {
      const ask = () => container(name).getBlobClient(NAME).getProperties();
      return { service: 'blob', name: `container ${name}`, ask };
    }),
  ];
}

async function checkStorage(deps: HealthHttp): Promise<Found> {
  const checks: Found['checks'] = { table: 'ok', queue: 'ok', blob: 'ok' };
  const problems: Found['problems'] = [];
  await Promise.all(
    resourcesOf(deps).map(async ({ service, name, ask }) => {
      const problem = await problemOf(name, ask);
      if (problem === undefined) return;
      checks[service] = 'failed';
      problems.push({ resource: name, problem });
    }),
  );
  return { checks, problems };
}

/** What is wrong, without what a stranger should not read: the error itself is in the log. */
async function problemOf(resource: string, ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await withinTime(ask(), PATIENCE_MS, resource);
    return undefined;
  } catch (error) {
    const [status, code = ''] = [statusOf(error), errorCodeOf(error)];
    // A row, blob or queue that is not there is an answer; a table or container that is missing has an error of its own.
    if (status === 404) return undefined;
    log.warn('health-check-failed', { resource, error: toError(error) });
    if (error instanceof MissingResourceError) return 'does not exist';
    if (status === undefined) return 'does not answer';
    return status === 401 || status === 403
      ? `access denied: ${status} ${code}`
      : `answers ${status} ${code}`.trimEnd();
  }
}
