import { buffer } from 'node:stream/consumers';
import type { ContainerClient } from '@azure/storage-blob';
import { createMeter } from '../../cost/meter.ts';
import { statusOf } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import { DOWNLOAD_RESUMES } from '../../storage/policies/retry-limits.ts';
import type { Container, OpenContainer } from '../../workload/container.ts';

/** Storage for the handlers of a thread, and what it costs. */
export interface ThreadContainers {
  open: OpenContainer;
  /** Runs `fn` and returns which operations its handlers did meanwhile. */
  measure: ReturnType<typeof createMeter>['measure'];
}

/**
 * Clients cannot be handed to a thread, but settings can: it makes its own, at the first call. The SDK is loaded then,
 * too: most workloads need no storage, and their threads start without it.
 */
export function createThreadContainers(settings: Settings | undefined): ThreadContainers {
  const meter = createMeter();
  let clients: Promise<(name: string) => ContainerClient> | undefined;
  const load = async (): Promise<(name: string) => ContainerClient> => {
    if (settings === undefined) throw new Error('These threads were given no settings, so that they have no storage.');
    return (await import('../../storage/clients.ts')).createContainers(settings, meter);
  };
  const client = async (name: string): Promise<ContainerClient> => {
    clients ??= load();
    return (await clients)(name);
  };
  return {
    open: (name, signal) => onStorage(() => client(name), signal),
    measure: (fn) => meter.measure(fn),
  };
}

function onStorage(client: () => Promise<ContainerClient>, abortSignal: AbortSignal): Container {
  return {
    read: async (name) => {
      const blob = (await client()).getBlobClient(name);
      try {
        // downloadToBuffer asks for the size first: a second operation for each blob.
        const { readableStreamBody } = await blob.download(0, undefined, {
          abortSignal,
          maxRetryRequests: DOWNLOAD_RESUMES,
        });
        return readableStreamBody && (await buffer(readableStreamBody));
      } catch (error) {
        if (statusOf(error) === 404) return undefined;
        throw error;
      }
    },
    write: async (name, bytes, { contentType = 'application/octet-stream' } = {}) => {
      const blob = (await client()).getBlockBlobClient(name);
      await blob.upload(bytes, bytes.length, { abortSignal, blobHTTPHeaders: { blobContentType: contentType } });
    },
  };
}
