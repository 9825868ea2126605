import type { Registry } from './registry.ts';

/** Defines properties that throw on assignment, with the same message as on the real worker. */
export function defineReadonly<T extends object>(target: T, values: Record<string, unknown>): T {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, {
      enumerable: true,
      get: () => value,
      set: () => {
        throw new TypeError(`Cannot assign to read only property '${name}'`);
      },
    });
  }
  return target;
}

/** Creates the context of appStart and appTerminate hooks. */
export function createAppHookContext(registry: Registry): object {
  return defineReadonly({}, { hookData: registry.startHookData, appHookData: registry.appHookData });
}
