/** Another process that acts between two calls of this one. */

/** Calls that return another client, which is wrapped, too. */
const CLIENTS = new Set(['getBlockBlobClient', 'getBlobClient', 'container', 'queues']);

/** Wraps dependencies so that `effect` runs once, before the first call of a method with this name. */
export function interposed<T extends object>(deps: T, method: string, effect: () => Promise<unknown>): T {
  let isDone = false;
  const wrap = <O extends object>(object: O): O =>
    new Proxy(object, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value === 'function')
          return (...args: unknown[]): unknown => {
            if (CLIENTS.has(String(name))) return wrap(value.apply(target, args) as object);
            if (name !== method || isDone) return value.apply(target, args);
            isDone = true;
            return effect().then(() => value.apply(target, args));
          };
        // Frozen objects are data, and a proxy must return them unchanged.
        const isPart =
          typeof value === 'object' && value !== null && !Object.isFrozen(target) && !Object.isFrozen(value);
        return isPart ? wrap(value) : value;
      },
    });
  return wrap(deps);
}
