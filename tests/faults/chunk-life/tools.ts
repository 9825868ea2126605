/** Storage as the code of a chunk sees it; every call becomes a step of the world. */
import { Buffer } from 'node:buffer';
import type { ContainerClient } from '@azure/storage-blob';
import type { Queue } from '../../../shared/queues/messages.ts';
import type { Table } from '../../../shared/storage/table.ts';
import type { Asker } from '../explorer/programs.ts';
import { tableOf } from '../explorer/table-stub.ts';

/** What a program can use; a mutant wraps it. */
export interface Tools {
  table: Table;
  gates: Table;
  queues: (name: string) => Queue;
  container: (name: string) => ContainerClient;
}

export const toolsOf = (asker: Asker): Tools => ({
  table: tableOf(asker),
  gates: gatesOf(asker),
  queues: (name) => queueOf(asker, name),
  container: (name) => containerOf(asker, name),
});

/** The gate of a queue is only read, to find out whether a drain holds it. */
export const gatesOf = ({ ask }: Pick<Asker, 'ask'>): Table =>
  ({
    getEntity: async (partitionKey: string, rowKey: string) => ({
      ...{ partitionKey, rowKey, etag: '1' },
      status: await ask('gate'),
    }),
  }) as unknown as Table;

function queueOf({ ask }: Asker, name: string): Queue {
  const queue = {
    name,
    sendMessage: (text: string) => ask('queue.put', name, text),
    deleteMessage: (id: string, receipt: string) => ask('queue.delete', name, id, receipt),
    updateMessage: async (id: string, receipt: string, text: string | undefined, seconds: number) => ({
      popReceipt: await ask('queue.update', name, id, receipt, text ?? null, seconds),
    }),
  };
  return queue as unknown as Queue;
}

interface UploadOptions {
  conditions?: { ifNoneMatch?: string };
  metadata?: Record<string, string>;
}

function containerOf({ ask }: Asker, container: string): ContainerClient {
  const blobOf = (name: string) => {
    const path = `${container}/${name}`;
    return {
      upload: (body: Uint8Array, _length: number, { conditions, metadata = {} }: UploadOptions = {}) =>
        ask('blob.put', path, Buffer.from(body).toString('base64'), metadata, conditions?.ifNoneMatch === '*'),
      getProperties: () => ask('blob.properties', path),
      downloadToBuffer: async (offset = 0, length?: number) =>
        Buffer.from(String(await ask('blob.get', path, offset, length ?? null)), 'base64'),
    };
  };
  const deleteBlob = (name: string) => ask('blob.delete', `${container}/${name}`);
  return { getBlockBlobClient: blobOf, getBlobClient: blobOf, deleteBlob } as unknown as ContainerClient;
}
