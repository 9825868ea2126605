import { join, resolve } from 'node:path';
import { isPortFree } from '../ports.ts';
import { DataFolderError } from '../stack/data-folder.ts';
import { PortInUseError } from '../stack/kept-ports.ts';
import { ProcessStartError } from '../stack/process/process.ts';
import type { Connections, PartialStackOptions } from '../stack/stack-options.ts';
import { startStack } from '../stack/start.ts';
import type { CliConsole } from './console.ts';
import { connectionSettings, findEmbeddedSettings } from './embedded.ts';
import { listEntities } from './entities.ts';
import { StartError } from './errors.ts';
import { inspectApp } from './inspect-app.ts';
import {
  assertCanRun,
  functionSettings,
  type HostPlan,
  planHost,
  planServices,
  type ServicePlan,
} from './plan-start.ts';
import type { StartOptions } from './program.ts';
import { type AppFiles, explainNoFunctions, readApp, readEntities } from './read-app.ts';

/** An app that runs. */
export interface RunningApp {
  /** Resolves, in words, when a part ends unasked. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Starts the app and the services that its settings ask for. Throws StartError for every mistake of the user. */
export async function startApp(given: string, options: StartOptions, output: CliConsole): Promise<RunningApp> {
  const app = readApp(given, process.env);
  const host = planHost(options, app.local);
  const entities = options.entities === undefined ? undefined : readEntities(options.entities);
  if (host.port !== 0 && !(await isPortFree(host.port)))
    throw portTaken(new PortInUseError(host.port, undefined).message);
  const settings = { ...app.env, ...functionSettings(options.functions) };
  const inspection = await inspectApp(app.folder, { ...settings, ...stubConnections(settings) });
  assertCanRun(inspection, options.functions);
  if (inspection.registered.length === 0) throw new StartError([explainNoFunctions(app.folder)]);
  const services = planServices(settings, inspection, entities);
  const data = resolve(options.data ?? join(app.folder, 'node_modules', '.cache', 'functions-local'));
  const stackOptions = toStackOptions({ app, host, inspection, services, settings, data, options, output });
  return await startStack(stackOptions).catch((error: unknown) => {
    throw toStartError(error);
  });
}

function toStartError(error: unknown): unknown {
  if (error instanceof PortInUseError) return portTaken(error.message);
  if (error instanceof ProcessStartError) return new StartError([error.message], { cause: error });
  if (error instanceof DataFolderError) return new StartError([`--data: ${error.message}`], { cause: error });
  return error;
}

/** Values that clients can be made from; nothing listens there while the app is only looked at. */
function stubConnections(env: NodeJS.ProcessEnv): Record<string, string> {
  const serviceBus =
    'Endpoint=sb://127.0.0.1;SharedAccessKeyName=none;SharedAccessKey=none;UseDevelopmentEmulator=true;';
  return connectionSettings(findEmbeddedSettings(env), { serviceBus });
}

const portTaken = (message: string): StartError =>
  new StartError([`${message}; pass another one with --port, or --port 0 for any free one`]);

interface Start {
  app: AppFiles;
  host: HostPlan;
  inspection: { isDurable: boolean };
  services: ServicePlan;
  settings: NodeJS.ProcessEnv;
  data: string;
  options: StartOptions;
  output: CliConsole;
}

function toStackOptions(start: Start): PartialStackOptions {
  const { app, host, inspection, services, data, options, output } = start;
  for (const name of app.skipped) {
    output.warn(`Skipping '${name}' from local settings as it's already defined in current environment variables.`);
  }
  if (services.namespace && listEntities(services.namespace).length === 0) {
    output.warn('no function is triggered by the embedded Service Bus: name what the app sends to with --entities');
  }
  return {
    folder: data,
    appFolder: app.folder,
    ...(services.entities === undefined ? {} : { entities: services.entities }),
    ...(services.embedded.storage.length === 0 ? {} : { layout: { containers: [], tables: [] } }),
    ...(host.port === 0 ? {} : { port: host.port }),
    settings: (connections) => {
      for (const line of describeServices(services, connections, data)) output.print(line);
      return toEnvironment(start, connections);
    },
    // As `func start`, which asks for no keys either.
    enforceKeys: false,
    durable: inspection.isDurable,
    ...(options.instances === undefined ? {} : { instances: options.instances }),
    hostArguments: [
      '--no-local-settings',
      ...(host.cors ? ['--cors', host.cors.origins.join(',')] : []),
      ...(host.cors?.credentials ? ['--cors-credentials'] : []),
      ...(options.verbose ? ['--verbose'] : []),
    ],
    onHostOutput: output.relay,
    onProgress: output.print,
    // One instance alone says itself when it is lost.
    ...(options.verbose || (options.instances ?? 1) > 1 ? { onHubWarning: output.print } : {}),
  };
}

function toEnvironment({ services, settings }: Start, connections: Partial<Connections>): Record<string, string> {
  const defined = Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined);
  // The host writes into a pipe; without this it would never use colours.
  const colours = process.stdout.isTTY && process.stdout.hasColors() ? { FORCE_COLOR: '1' } : {};
  return { ...Object.fromEntries(defined), ...connectionSettings(services.embedded, connections), ...colours };
}

/** What is started beside the app: addresses, and the settings that have them. */
function describeServices(
  { embedded, namespace }: ServicePlan,
  connections: Partial<Connections>,
  data: string,
): string[] {
  const { storage, serviceBus } = connections;
  const lines = [`State and logs: ${data}`];
  if (storage !== undefined) {
    lines.push(`Storage for ${embedded.storage.join(', ')}:`);
    for (const [, name, url] of storage.matchAll(/(\w+)Endpoint=([^;]+)/g)) lines.push(`\t${name}: ${url}`);
  }
  if (serviceBus !== undefined && namespace) {
    lines.push(`Service Bus for ${embedded.serviceBus.join(', ')}: ${serviceBus}`);
    lines.push(...listEntities(namespace).map((entity) => `\t${entity}`));
  }
  return lines;
}
