import Module from 'node:module';
import type { HostLog } from '../log/host-log.ts';
import type {
  FunctionCallback,
  FunctionMetadata,
  HookCallback,
  HookName,
  LogCategory,
  LogLevel,
  ProgrammingModel,
} from '../worker-protocol.ts';
import { Disposable } from './disposable.ts';
import type { Registry } from './registry.ts';

/** Version of the Node worker whose behaviour this host follows. */
const WORKER_VERSION = '3.13.0';
/** Host version reported to the app. The log hook requires 4.34 or higher, HTTP streams 4.28. */
const HOST_VERSION = '4.1037.0';
const MODULE_NAME = '@azure/functions-core';

/** Creates the module that `@azure/functions` loads as `@azure/functions-core`. */
export function createCoreModule(registry: Registry, log: HostLog): object {
  return {
    version: WORKER_VERSION,
    get hostVersion() {
      return HOST_VERSION;
    },
    registerFunction: (metadata: FunctionMetadata, callback: FunctionCallback) =>
      registerFunction(registry, metadata, callback),
    registerHook: (name: string, callback: HookCallback) => registerHook(registry, name, callback),
    setProgrammingModel: (model: ProgrammingModel) => {
      registry.model = model;
    },
    getProgrammingModel: () => registry.model,
    log: (level: LogLevel, category: LogCategory, message: string) =>
      log.write(level, category === 'user' ? 'Function.Worker.User' : 'Worker', message),
    Disposable,
  };
}

function registerFunction(registry: Registry, metadata: FunctionMetadata, callback: FunctionCallback): Disposable {
  assertOpen(registry, 'A function can only be registered during app startup.');
  const id = metadata.functionId ?? metadata.name;
  if (registry.functions.has(id))
    throw systemError(new Error(`A function with id "${id}" has already been registered.`));
  registry.functions.set(id, { id, metadata, callback });
  return new Disposable(() => {
    assertOpen(registry, 'A function can only be disposed during app startup.');
    registry.functions.delete(id);
  });
}

function registerHook(registry: Registry, name: string, callback: HookCallback): Disposable {
  if (!isHookName(registry, name)) throw systemError(new RangeError(`Unrecognized hook "${name}"`));
  const hooks = registry.hooks[name];
  hooks.push(callback);
  return new Disposable(() => {
    const index = hooks.indexOf(callback);
    if (index >= 0) hooks.splice(index, 1);
  });
}

function isHookName(registry: Registry, name: string): name is HookName {
  return Object.hasOwn(registry.hooks, name);
}

function assertOpen(registry: Registry, message: string): void {
  if (registry.locked) throw systemError(new Error(message));
}

// The library uses this flag to distinguish errors of the host from errors of the app.
function systemError<T extends Error>(error: T): T {
  return Object.assign(error, { isAzureFunctionsSystemError: true });
}

let supplied = false;

/**
 * Makes `require('@azure/functions-core')` return the given module. This also works in ESM apps, since the library itself is
 * CommonJS. The library caches the module, so that a process can run only one app: a second call throws.
 */
export function supplyCoreModule(core: object): void {
  if (supplied) throw new Error('This process already runs an app. Start another process for another app.');
  supplied = true;
  const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
  const original = loader._load;
  loader._load = function load(this: unknown, request, ...rest) {
    return request === MODULE_NAME ? core : original.call(this, request, ...rest);
  };
}
