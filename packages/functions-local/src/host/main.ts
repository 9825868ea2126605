import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { onStopSignals } from '../stop-signals.ts';
import { readArguments, USAGE } from './arguments.ts';
import { HostStartError, TIMED_OUT_EXIT_CODE, toError } from './errors.ts';
import type { HostOptions, RunningHost } from './host-options.ts';
import { parseKeys } from './http/keys.ts';
import { startHost } from './start/start-host.ts';

function exitWithError(what: string, thrown: unknown): void {
  const { message, stack } = toError(thrown);
  // The message of a HostStartError contains the location in the app. A stack trace of the host adds nothing.
  const text = thrown instanceof HostStartError ? message : (stack ?? message);
  console.error(`[${new Date().toISOString()}] ${what}: ${text}`);
  process.exit(1);
}

function readOptions(): HostOptions | undefined {
  const { options, keysFile, help } = readArguments(process.argv.slice(2));
  if (help) return undefined;
  return keysFile === undefined ? options : { ...options, keys: parseKeys(readFileSync(keysFile, 'utf8'), keysFile) };
}

/**
 * Makes the app's folder the working directory, as Core Tools and Azure do. Relative paths in the options are resolved before
 * that.
 */
function enterAppFolder(options: HostOptions): HostOptions {
  const { appFolder, stateDir, durable } = options;
  const file = durable?.file;
  const absolute = {
    ...options,
    appFolder: resolve(appFolder),
    stateDir: resolve(stateDir),
    ...(file === undefined || file === ':memory:' ? {} : { durable: { ...durable, file: resolve(file) } }),
  };
  process.chdir(absolute.appFolder);
  return absolute;
}

async function shutDown(host: RunningHost): Promise<void> {
  await host.stop();
  process.exit(0);
}

async function run(): Promise<void> {
  const options = readOptions();
  if (!options) return console.log(USAGE);
  // App and host share the process. An uncaught error of the app ends the host, as it ends the worker on Azure.
  process.on('uncaughtException', (error) => exitWithError('Worker uncaught exception', error));
  process.on('unhandledRejection', (error) => exitWithError('Worker unhandled rejection', error));
  const host = await startHost(enterAppFolder(options));
  onStopSignals(() => shutDown(host).catch((error: unknown) => exitWithError('Stop', error)));
  void host.timedOut.then(() => process.exit(TIMED_OUT_EXIT_CODE));
  console.log(`Host started on ${host.url}`);
}

run().catch((error: unknown) => exitWithError('The host could not start', error));
