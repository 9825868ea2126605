import type { OpenContainer } from '../workload/container.ts';

/** Blobs by name. */
export type Blobs = Record<string, Uint8Array>;

/** Containers in memory; what is not there yet is empty. `given` is left as it was. */
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

/** Without a prototype: `__proto__` is a blob name as any other. */
const copyOf = (blobs: Blobs): Blobs => Object.assign(Object.create(null) as Blobs, blobs);
