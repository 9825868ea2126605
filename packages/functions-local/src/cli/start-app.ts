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

/** A running app. */
export interface RunningApp {
  /** Resolves with a message when a part terminates unexpectedly. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Starts the app and the services that its settings select. Throws StartError for every mistake of the user. */
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

/** Valid connection strings for clients. They are not used while the app is inspected. */
function stubConnections(env: NodeJS.ProcessEnv): Record<string, string> {
  const serviceBus =
    'Endpoint=sb://127.0.0.1;SharedAccessKeyName=none;SharedAccessKey=none;UseDevelopmentEmulator=true;';
  return connectionSettings(findEmbeddedSettings(env), { serviceBus });
}

const portTaken = (message: string): StartError =>
  new StartError([`${message}; set another one with --port, or use --port 0 for any free one`]);

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
    output.warn(
      'no function is triggered by the embedded Service Bus: specify the entities that the app sends to with --entities',
    );
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
    // As with `func start`, which requires no keys.
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
    // A single instance reports itself that it was lost.
    ...(options.verbose || (options.instances ?? 1) > 1 ? { onHubWarning: output.print } : {}),
  };
}

function toEnvironment({ services, settings }: Start, connections: Partial<Connections>): Record<string, string> {
  const defined = Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined);
  // The host writes to a pipe, and would never use colours without this setting.
  const colours = process.stdout.isTTY && process.stdout.hasColors() ? { FORCE_COLOR: '1' } : {};
  return { ...Object.fromEntries(defined), ...connectionSettings(services.embedded, connections), ...colours };
}

/** Describes the services beside the app: addresses, and the settings that refer to them. */
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
