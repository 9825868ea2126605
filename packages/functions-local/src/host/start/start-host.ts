import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { seconds } from '../../units.ts';
import { createCoreModule, supplyCoreModule } from '../app/core-module.ts';
import { loadApp } from '../app/load-app.ts';
import { planApp } from '../app/plan-app.ts';
import { createRegistry } from '../app/registry.ts';
import { createInputs, startDurable } from '../durable/start-durable.ts';
import { toError } from '../errors.ts';
import type { HostOptions, RunningHost } from '../host-options.ts';
import type { HostKeys } from '../http/keys.ts';
import { type HttpListener, openListener, type RequestHandler } from '../http/listener.ts';
import { createInvoker } from '../invocation/invoker.ts';
import { createTimeLimit, type TimeLimit } from '../invocation/time-limit.ts';
import type { Listener } from '../listener.ts';
import { type Wiring, wireFunctions } from '../listeners.ts';
import { createHostLog, type HostLog } from '../log/host-log.ts';
import { createLogFilter } from '../log/log-filter.ts';
import { announce, toHostedFunctions } from './announce.ts';
import { loadKeys } from './load-keys.ts';
import { type LoadedSettings, loadSettings } from './load-settings.ts';
import { createRequestHandler, createRequestHandlers } from './request-handler.ts';
import { createStop } from './stop-host.ts';

const GRACE_MS = seconds(10);

/**
 * Starts an app in this process and resolves when it accepts requests. A process can run only one app. Throws HostStartError
 * if the app or its configuration is not valid. A function that cannot be served does not affect the others.
 */
export async function startHost(given: HostOptions): Promise<RunningHost> {
  const options = { ...given, appFolder: resolve(given.appFolder), stateDir: resolve(given.stateDir) };
  mkdirSync(options.stateDir, { recursive: true });
  const settings = loadSettings(options);
  const print = options.log ?? ((line: string) => console.log(line));
  const log = createHostLog(print, createLogFilter(settings.config.logLevels, options.verbose));
  for (const name of settings.skipped) {
    log.print(`Skipping '${name}' from local settings as it's already defined in current environment variables.`);
  }
  for (const key of settings.config.unreadKeys) {
    log.write(
      'warning',
      'Host.General',
      `host.json: '${key}' has no effect in the local host. It may have an effect on Azure.`,
    );
  }
  for (const name of settings.config.durableOverrides) {
    log.write(
      'warning',
      'Host.General',
      `'${name}' overrides host.json only in the host. On Azure, the scale controller reads the file without it.`,
    );
  }
  const keys = loadKeys(options);
  // The address must be known before the app is loaded. Requests wait until the app is loaded.
  const ready = Promise.withResolvers<RequestHandler>();
  const http = await openListener(settings.port, async (...request) => (await ready.promise)(...request), log);
  const publicUrl = options.publicUrl ?? `http://127.0.0.1:${http.port}`;
  process.env.WEBSITE_HOSTNAME = new URL(publicUrl).host;
  try {
    return await startApp({ options, settings, log, http, publicUrl, ready: ready.resolve, ...(keys ? { keys } : {}) });
  } catch (error: unknown) {
    await http.close(0);
    throw error;
  }
}

interface StartContext {
  options: HostOptions;
  settings: LoadedSettings;
  log: HostLog;
  http: HttpListener;
  publicUrl: string;
  keys?: HostKeys;
  ready(handler: RequestHandler): void;
}

async function startApp(context: StartContext): Promise<RunningHost> {
  const { options, settings, log, http, publicUrl, keys } = context;
  const { config } = settings;
  const registry = createRegistry();
  supplyCoreModule(createCoreModule(registry, log));
  const app = await loadApp(options.appFolder, registry);
  const limit = createTimeLimit(config.functionTimeoutMs);
  const invoker = createInvoker(registry, log, limit);
  const inputs = createInputs();
  const planned = planApp(registry, config, process.env);
  const wiring = wireFunctions({ config, invoker, log, stateDir: options.stateDir, inputsOf: inputs.of }, planned);
  const durable = await startDurable({ options, config, wiring, invoker, log, inputs, url: publicUrl, keys });
  const functions = toHostedFunctions(wiring, publicUrl);
  if (options.functionList !== false) announce(wiring, functions, log);
  const parts = { settings, options, wiring, invoker, log, app, inputs };
  context.ready(createRequestHandler(createRequestHandlers({ ...parts, durable, keys })));
  await startListeners(wiring, log);
  const stop = createStop({ registry, http, wiring, invoker, log, durable, graceMs: options.graceMs ?? GRACE_MS });
  return {
    ...{ port: http.port, url: `http://127.0.0.1:${http.port}`, functions, stop },
    ...(durable ? { durable } : {}),
    timedOut: stopAtTimeout(limit, stop, log),
  };
}

/**
 * As on Azure, all invocations of a process end with the one that exceeds `functionTimeout`: they fail at once, and
 * orchestrators run again (WebScriptHostExceptionHandler, GrpcWorkerChannel; host versions since September 2025). Before,
 * the other ones failed at their own time limit.
 */
async function stopAtTimeout(limit: TimeLimit, stop: () => Promise<void>, log: HostLog): Promise<void> {
  const invocationId = await limit.exceeded;
  log.write(
    'warning',
    'Host.General',
    `A function timeout has occurred. Restarting worker process executing invocationId '${invocationId}'.`,
  );
  limit.abort();
  await stop();
}

async function startListeners(wiring: Wiring, log: HostLog): Promise<void> {
  const start = async ([name, listener]: [string, Listener]) => {
    try {
      await listener.start();
    } catch (error: unknown) {
      log.print(`The listener for function 'Functions.${name}' was unable to start. ${toError(error).message}`);
    }
  };
  await Promise.all([...wiring.listeners].map(start));
}
