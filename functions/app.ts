/** Reads the settings, makes the pipeline, and connects it with the host's lifecycle. Registers no function. */
import { randomUUID } from 'node:crypto';
import { app, type InvocationContext } from '@azure/functions';
import * as df from 'durable-functions';
import hostJson from '../host.json' with { type: 'json' };
import { readPriceSheet } from '../shared/cost/sheet.ts';
import { readHostLimits } from '../shared/drain/host-limits.ts';
import { countedClient, limitedClient, type RuntimeClient } from '../shared/drain/limited-client.ts';
import { recordActions, recording } from '../shared/http/audit/record-actions.ts';
import { MAX_UPLOADS } from '../shared/http/batches/upload/upload-request.ts';
import { createAnswering } from '../shared/http/edge/answers.ts';
import { createPipeline } from '../shared/pipeline.ts';
import { readSettings } from '../shared/settings.ts';
import { createSlots } from '../shared/slots.ts';
import { registry } from '../workloads/index.ts';

/** Read when the first function registers, so that a bad setting stops the start with all problems at once. */
const settings = readSettings(process.env);
/** Read at the start as well, since it may be a file. */
export const prices = readPriceSheet(settings.priceSheet);
/** What receipts are made with. */
export const basis = { prices, backend: settings.durableBackend };

/** For the bodies of all uploads that this process reads, whatever the route. */
export const uploadSlots = createSlots(MAX_UPLOADS);

/** Built files load a built thread file, sources a source file: the extension is this file's own. */
const THREAD_URL = new URL(`../workloads/thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export const pipeline = createPipeline({
  settings,
  registry,
  host: readHostLimits(hostJson),
  processor: THREAD_URL,
});

app.setup({ enableHttpStream: true });

/** Waited for, so that the first invocation is in the traces already; without an exporter nothing is loaded. */
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

/** The extra input of every function that may have to start a drain, and how to get at it. */
export const durableClient = df.input.durableClient();
export const getDrainClient = (context: InvocationContext): RuntimeClient =>
  countedClient(limitedClient(df.getClient(context)), pipeline.meter);

/** Wraps the handler of every HTTP function. */
export const answering = createAnswering({
  meter: pipeline.meter,
  overhead: pipeline.overhead,
  prices,
  nowMs: () => performance.now(),
  recording,
  record: recordActions({
    table: () => pipeline.deps().table,
    now: () => pipeline.meter.serviceNowMs(),
    isAuthenticated: settings.isAuthenticated,
  }),
});

/**
 * The first sign that this instance is about to end. The appTerminate hook would be too late: it runs after the invocations
 * have ended, or have been given up. This does not end the process, which may be serving requests: the host does, as it
 * would without a listener. Set at the start of the app, so that importing this file changes no process.
 */
app.hook.appStart(() => {
  process.on('SIGTERM', () => pipeline.returnWork());
});

app.hook.appTerminate(async () => {
  await pipeline.close();
  await telemetry?.shutdown();
});
