import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { HostStartError, toError } from '../errors.ts';
import { captureProxyServer } from './capture-proxy-server.ts';
import { type EntryPoint, findEntryPoints } from './entry-points.ts';
import { createAppHookContext } from './hook-context.ts';
import type { Registry } from './registry.ts';

const CAPABILITIES = [
  'RawHttpBodyBytes',
  'RpcHttpTriggerMetadataRemoved',
  'RpcHttpBodyOnly',
  'IgnoreEmptyValuedRpcHttpHeaders',
  'UseNullableValueDictionaryForHttp',
  'WorkerStatus',
  'TypedDataCollection',
  'HandlesWorkerTerminateMessage',
];

/** The result of loading an app. */
export interface LoadedApp {
  /** The library's HTTP server, if the app uses `enableHttpStream`. Requests are passed to it without a connection. */
  proxyServer?: Server;
}

/** Loads an app's files one after another, runs its appStart hooks and closes the registry. */
export async function loadApp(appFolder: string, registry: Registry): Promise<LoadedApp> {
  await loadFiles(appFolder);
  for (const hook of registry.hooks.appStart) await hook(createAppHookContext(registry));
  const model = registry.model;
  const offered = Object.fromEntries(CAPABILITIES.map((name) => [name, 'true']));
  const captured = await captureProxyServer(async () => (await model?.getCapabilities?.(offered)) ?? offered);
  registry.locked = true;
  return captured.value.HttpUri && captured.server ? { proxyServer: captured.server } : {};
}

/** Loads an app's files one after another. Throws HostStartError for a file that cannot be loaded. */
export async function loadFiles(appFolder: string): Promise<void> {
  for (const entry of findEntryPoints(appFolder)) await loadFile(entry);
}

async function loadFile(entry: EntryPoint): Promise<void> {
  try {
    if (entry.format === 'module') await import(pathToFileURL(entry.path).href);
    else createRequire(entry.path)(entry.path);
  } catch (error: unknown) {
    const { message, stack } = toError(error);
    throw new HostStartError(`Worker was unable to load entry point "${entry.path}": ${message}\n${stack ?? ''}`, {
      cause: error,
    });
  }
}
