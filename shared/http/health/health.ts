import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { z } from 'zod';
import { CONTAINERS } from '../../contract/names.ts';
import { DURABLE_BACKENDS } from '../../cost/deployed.ts';
import { errorCodeOf, MissingResourceError, statusOf, toError } from '../../errors.ts';
import type { Clients } from '../../storage/clients.ts';
import { readEntity } from '../../storage/table.ts';
import { log } from '../../telemetry/log.ts';
import { withinTime } from '../../time-limit.ts';
import { json } from '../edge/answers.ts';
import type { App, Reads } from '../edge/app.ts';
import { jsonAnswer, query, type Route } from '../edge/route.ts';
import { COMPONENTS } from '../edge/schemas.ts';

const check = z.enum(['ok', 'failed']);

/** The health of the app. `checks` and `problems` of the storage are present only in a deep check. */
export const healthSchema = z
  .object({
    status: z.enum(['ok', 'failing']),
    pool: z.string().nullable().describe('null: the workloads of all pools'),
    instance: z
      .string()
      .nullable()
      .describe('The instance of the app that answers; null: the platform provides no name'),
    build: z.string().nullable().describe('Identifies the content of the package; null: the app was not packaged'),
    workloads: z.array(z.string()),
    cores: z.number().describe('CPU cores that the process sees'),
    memoryMb: z.number().describe('Memory that the process sees, at most the limit of its container'),
    threads: z.number().describe('Worker threads of the process'),
    durableBackend: z.enum(DURABLE_BACKENDS).describe('The durable backend of host.json in the deployed package'),
    checks: z.object({ table: check, queue: check, blob: check }).optional(),
    problems: z
      .array(z.object({ resource: z.string(), problem: z.string() }))
      .optional()
      .describe('Tables, containers and queues that are missing, deny access or do not answer'),
  })
  .register(COMPONENTS, { id: 'Health' });
type Health = z.infer<typeof healthSchema>;

type HealthHttp = Pick<App, 'registry' | 'nowMs' | 'size'> & {
  basis: Pick<App['basis'], 'backend'>;
  settings: Pick<App['settings'], 'pool' | 'instance' | 'build'>;
  clients: () => Pick<Clients, 'batches' | 'gates' | 'keys' | 'container'>;
  deps: () => Pick<Reads, 'depthOf'>;
};

/** The route requires no key, so a deep check, which costs about a dozen operations, is made at most once in this time. */
const KEEP_MS = 30_000;
const NAME = 'health';
/** The retries of the SDKs take longer than a health probe waits. */
const PATIENCE_MS = 10_000;

/** GET health: answers without any storage call. With `?deep`, it also checks storage, at most once per 30 s and process. */
export function createHealth(deps: HealthHttp): (request: HttpRequest) => Promise<HttpResponseInit> {
  let kept: { atMs: number; found: Promise<Found> } | undefined;
  const checkOnce = (): Promise<Found> => {
    if (kept === undefined || deps.nowMs() - kept.atMs >= KEEP_MS) {
      kept = { atMs: deps.nowMs(), found: checkStorage(deps) };
    }
    return kept.found;
  };
  return async (request) => {
    const { pool = null, instance = null, build = null } = deps.settings;
    const workloads = deps.registry.workloads.map(({ name }) => name);
    const health: Health = {
      status: 'ok',
      pool,
      instance,
      build,
      workloads,
      ...deps.size,
      durableBackend: deps.basis.backend,
    };
    if (!request.query.has('deep')) return json(health);
    const found = await checkOnce();
    const ok = found.problems.length === 0;
    return json({ ...health, status: ok ? 'ok' : 'failing', ...found }, { status: ok ? 200 : 503 });
  };
}

interface Found {
  checks: NonNullable<Health['checks']>;
  problems: NonNullable<Health['problems']>;
}

/** A required resource in storage, and the call that checks it. */
interface Resource {
  service: keyof Found['checks'];
  name: string;
  ask: () => Promise<unknown>;
}

/**
 * Each check is one operation. Queues are created on first use, so one of them is checked for all: the call shows whether
 * access is granted.
 */
function resourcesOf({ clients, deps, registry }: HealthHttp): Resource[] {
  const { batches, gates, keys, container } = clients();
  const queue = registry.queues()[0]?.queue ?? NAME;
  const declared = registry.workloads.flatMap(({ containers }) => containers);
  return [
    ...[batches, gates, keys].map((table): Resource => {
      const ask = () => readEntity(table, NAME, NAME);
      return { service: 'table', name: `table ${table.tableName}`, ask };
    }),
    { service: 'queue', name: `queue ${queue}`, ask: () => deps().depthOf(queue) },
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

/** Describes the problem without internals, because anyone may call this route. The error itself is logged. */
async function problemOf(resource: string, ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await withinTime(ask(), PATIENCE_MS, resource);
    return undefined;
  } catch (error) {
    const [status, code = ''] = [statusOf(error), errorCodeOf(error)];
    // A missing row, blob or queue is a valid answer. A missing table or container has a separate error.
    if (status === 404) return undefined;
    log.warn('health-check-failed', { resource, error: toError(error) });
    if (error instanceof MissingResourceError) return 'does not exist';
    if (status === undefined) return 'does not answer';
    return status === 401 || status === 403
      ? `access denied: ${status} ${code}`
      : `answers ${status} ${code}`.trimEnd();
  }
}

/** The route of health probes. It requires no key, because it returns no data. */
export const HEALTH_ROUTES = [
  {
    name: 'health',
    method: 'GET',
    path: 'health',
    audience: [],
    summary: 'Whether the app answers. Calls storage only on request',
    parameters: [query('deep', 'Check storage too. The result is cached for 30 s', { type: 'boolean' })],
    answers: [
      jsonAnswer(200, 'The app answers', healthSchema),
      jsonAnswer(503, 'Storage does not answer correctly', healthSchema),
    ],
    problems: [],
    handler: createHealth,
  },
] as const satisfies readonly Route[];
