import type { OpenContainer } from '../workload/container.ts';

export type Blobs = Record<string, Uint8Array>;

/** Creates containers in memory. A container that is not given is empty. `given` does not change. */
export function createMemory(given: Record<string, Blobs> = {}): {
  containers: Record<string, Blobs>;
  open: OpenContainer;
} {
  const containers = Object.fromEntries(Object.entries(given).map(([name, blobs]) => [name, copyOf(blobs)]));
  return {
    containers,
    open: (container) => {
      const blobs = containers[container] ?? copyOf({});
      containers[container] = blobs;
      return {
        read: async (name) => (Object.hasOwn(blobs, name) ? Buffer.from(blobs[name] ?? []) : undefined),
        write: async (name, bytes) => {
          blobs[name] = Buffer.from(bytes);
        },
      };
    },
  };
}

/** Without a prototype, so that `__proto__` is an ordinary blob name. */
const copyOf = (blobs: Blobs): Blobs => Object.assign(Object.create(null) as Blobs, blobs);
