import { buffer } from 'node:stream/consumers';
import type { ContainerClient } from '@azure/storage-blob';
import { createMeter } from '../../cost/meter.ts';
import { statusOf } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import { DOWNLOAD_RESUMES } from '../../storage/policies/retry-limits.ts';
import type { Container, OpenContainer } from '../../workload/container.ts';

/**
 * Creates the storage of a thread. Clients cannot be sent to a thread, but settings can, so the thread creates its own
 * clients at the first call. The SDK is also loaded then: most workloads need no storage, and their threads start without
 * it.
 */
export function createThreadContainers(settings: Settings | undefined): OpenContainer {
  let clients: Promise<(name: string) => ContainerClient> | undefined;
  const load = async (): Promise<(name: string) => ContainerClient> => {
    if (settings === undefined)
      throw new Error('The threads have no storage, because they were started without settings.');
    return (await import('../../storage/clients.ts')).createContainers(settings, createMeter());
  };
  const client = async (name: string): Promise<ContainerClient> => {
    clients ??= load();
    return (await clients)(name);
  };
  return (name, signal) => onStorage(() => client(name), signal);
}

function onStorage(client: () => Promise<ContainerClient>, abortSignal: AbortSignal): Container {
  return {
    read: async (name) => {
      const blob = (await client()).getBlobClient(name);
      try {
        // downloadToBuffer reads the size first, which is a second operation per blob.
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
