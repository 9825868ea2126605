/** Reads the settings, creates the pipeline, and connects it to the lifecycle of the host. Registers no function. */
import { randomUUID } from 'node:crypto';
import { app, type InvocationContext } from '@azure/functions';
import * as df from 'durable-functions';
import hostJson from '../host.json' with { type: 'json' };
import { readPriceSheet } from '../shared/cost/sheet.ts';
import { readHostLimits } from '../shared/drain/host-limits.ts';
import { limitedClient, type RuntimeClient } from '../shared/drain/limited-client.ts';
import { UPLOAD_PLACES } from '../shared/http/batches/upload/uploads.ts';
import { REDRIVE_PLACES } from '../shared/http/dead-letters/redrive-dead-letters.ts';
import type { App } from '../shared/http/edge/app.ts';
import { createBodyPlaces } from '../shared/http/edge/request/body-places.ts';
import { openApiDocument } from '../shared/http/openapi/openapi.ts';
import { ROUTES } from '../shared/http/routes.ts';
import { createPipeline } from '../shared/pipeline.ts';
import { readSettings } from '../shared/settings.ts';
import { withLog } from '../shared/telemetry/log.ts';
import { assets } from '../web/assets.ts';
import { registry } from '../workloads/index.ts';

/** Read at module load, so that invalid settings stop the start, with all problems reported together. */
const settings = readSettings(process.env);
/** Also read at the start, because it may be a file. */
const prices = readPriceSheet(settings.priceSheet);

/** The extension is that of this file: built files load a built thread file, sources load a source file. */
const THREAD_URL = new URL(`../workloads/thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export const pipeline = createPipeline({
  settings,
  registry,
  host: readHostLimits(hostJson),
  processor: THREAD_URL,
});

app.setup({ enableHttpStream: true });

/** Awaited, so that the traces contain the first invocation. Without an exporter, nothing is loaded. */
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

/** The extra input of every function that may start a drain, and the client that it provides. */
export const durableClient = df.input.durableClient();
export const getDrainClient = (context: InvocationContext): RuntimeClient =>
  limitedClient(df.getClient(context), pipeline.meter);

type Overhead = Parameters<typeof pipeline.overhead.within>[0];

/** Runs an invocation: its log lines go to its context, and its operations to an overhead, unless they are stored for a batch. */
export const invoke = <T>(overhead: Overhead, context: InvocationContext, work: () => Promise<T>): Promise<T> =>
  withLog(context, () => pipeline.overhead.within(overhead, work));

/** What the handlers of routes use. */
export const shared: App = {
  ...pipeline,
  basis: {
    ...{ prices, backend: settings.durableBackend },
    queuesOf: (name) => registry.workload(name)?.queuesPerLane ?? 1,
  },
  uploadPlaces: createBodyPlaces(UPLOAD_PLACES),
  redrivePlaces: createBodyPlaces(REDRIVE_PLACES),
  startedMs: performance.timeOrigin,
  nowMs: () => performance.now(),
  assets,
  document: () => openApiDocument(ROUTES),
};

/**
 * SIGTERM is the first sign that this instance will end. The appTerminate hook would be too late: it runs after the
 * invocations have finished or were cancelled. The handler does not end the process, which may be serving requests: the host
 * ends it, as it would without a listener. The listener is added when the app starts, so that an import of this file has no
 * side effect on the process.
 */
app.hook.appStart(() => {
  process.on('SIGTERM', () => pipeline.returnWork());
});

app.hook.appTerminate(async () => {
  await pipeline.close();
  await telemetry?.shutdown();
});
