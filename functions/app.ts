/** Creates the pipeline of an app and connects it to the lifecycle of the host. Registers no function. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { app, type InvocationContext } from '@azure/functions';
import * as df from 'durable-functions';
import { readPriceSheet } from '../shared/cost/sheet.ts';
import { readHostLimits } from '../shared/drain/host-limits.ts';
import { limitedClient, type RuntimeClient } from '../shared/drain/limited-client.ts';
import { UPLOAD_PLACES } from '../shared/http/batches/upload/uploads.ts';
import { REDRIVE_PLACES } from '../shared/http/dead-letters/redrive-dead-letters.ts';
import type { App } from '../shared/http/edge/app.ts';
import { createBodyPlaces } from '../shared/http/edge/request/body-places.ts';
import { openApiDocument } from '../shared/http/openapi/openapi.ts';
import { type RouteGroups, routesOf } from '../shared/http/routes.ts';
import { createPipeline } from '../shared/pipeline.ts';
import { readSettings } from '../shared/settings.ts';
import { log, withLog } from '../shared/telemetry/log.ts';
import type { Registry } from '../shared/workload/registry.ts';
import { assets } from '../web/assets.ts';

/** What an app gives. */
export interface SluiceOptions extends RouteGroups {
  workloads: Registry;
  /**
   * The module whose default export is `serve(registry)`, without its extension: the sources have `.ts` where the build has
   * `.js`. For example `new URL('../workloads/thread', import.meta.url)`.
   */
  thread: URL;
  /** The content of the app's host.json. */
  host: unknown;
}

type Overhead = Parameters<ReturnType<typeof createPipeline>['overhead']['within']>[0];

/** What the registrations of functions use. */
export interface Registration {
  pipeline: ReturnType<typeof createPipeline>;
  /** What the handlers of routes use. */
  shared: App;
  routes: ReturnType<typeof routesOf>;
  /** The extra input of every function that may start a drain, and the client that it provides. */
  durableClient: df.DurableClientInput;
  getDrainClient(context: InvocationContext): RuntimeClient;
  /**
   * Runs an invocation: its log lines go to its context, and its operations to an overhead, unless they are stored for a
   * batch.
   */
  invoke<T>(overhead: Overhead, context: InvocationContext, work: () => Promise<T>): Promise<T>;
}

/** Creates what the registrations of functions use. Settings that are invalid are all reported together. */
export async function createRegistration(options: SluiceOptions): Promise<Registration> {
  const { workloads: registry, host, thread } = options;
  const settings = readSettings(process.env);
  // Also read at the start, because it may be a file.
  const prices = readPriceSheet(settings.priceSheet);
  const limits = readHostLimits(host);
  const size = instanceSize(settings.threads);
  const pipeline = createPipeline({
    settings,
    registry,
    host: limits,
    processor: existingModule(thread),
  });
  const routes = routesOf(options);
  app.setup({ enableHttpStream: true });
  // Without an exporter, nothing is loaded.
  const telemetry =
    settings.telemetry &&
    (await (
      await import('../shared/telemetry/export/start.ts')
    ).startTelemetry({
      targets: settings.telemetry,
      resource: {
        'service.name': 'sluice',
        'service.instance.id': settings.instance ?? randomUUID(),
        'sluice.pool': settings.pool ?? 'all',
      },
      operations: () => pipeline.meter.total(),
    }));
  /**
   * SIGTERM is the first sign that this instance will end. The appTerminate hook would be too late: it runs after the
   * invocations have finished or were cancelled. The handler does not end the process, which may be serving requests: the
   * host ends it, as it would without a listener. The listener is added when the app starts, so that an import has no side
   * effect on the process.
   */
  app.hook.appStart(() => {
    process.on('SIGTERM', () => pipeline.returnWork());
    log.info('instance-started', size);
    if (settings.startsThreadsEarly) pipeline.startThreads();
  });
  app.hook.appTerminate(async () => {
    await pipeline.close();
    await telemetry?.shutdown();
  });
  return {
    pipeline,
    routes,
    durableClient: df.input.durableClient(),
    getDrainClient: (context) => limitedClient(df.getClient(context), pipeline.meter),
    invoke: (overhead, context, work) => withLog(context, () => pipeline.overhead.within(overhead, work)),
    shared: {
      ...pipeline,
      basis: {
        ...{ prices, backend: limits.durableBackend },
        queuesOf: (name) => registry.workload(name)?.queuesPerLane ?? 1,
      },
      size,
      uploadPlaces: createBodyPlaces(UPLOAD_PLACES),
      redrivePlaces: createBodyPlaces(REDRIVE_PLACES),
      startedMs: performance.timeOrigin,
      nowMs: () => performance.now(),
      assets,
      document: () => openApiDocument(routes),
    },
  };
}

/** Returns what this process sees of its instance. `threads` is the setting: 0 means one per core. */
function instanceSize(threads: number): App['size'] {
  const cores = availableParallelism();
  // Without a limit, it is undefined, 0, or larger than any memory.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return { cores, memoryMb: Math.round(memory / 1024 ** 2), threads: threads || cores };
}

/** Returns the address of a module that is given without its extension. */
function existingModule(url: URL): URL {
  const found = ['.ts', '.js']
    .map((end) => new URL(`${url.href}${end}`))
    .find((each) => existsSync(fileURLToPath(each)));
  if (found === undefined) throw new Error(`Expected the file ${fileURLToPath(url)}.ts or .js, found neither.`);
  return found;
}
