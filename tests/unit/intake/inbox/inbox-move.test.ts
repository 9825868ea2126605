import type { ContainerClient } from '@azure/storage-blob';
import { describe, expect, it } from 'vitest';
import { CopyPendingError, type Move, moveFile, removeFile } from '../../../../shared/intake/inbox/inbox-move.ts';
import { serviceError } from '../../../helpers/data/factories.ts';

const FILE = { name: 'echo/a.ndjson', etag: '0x1' };
const MOVE: Move = { file: FILE, to: 'inbox-done', metadata: { batch: 'b1' }, repeated: false };

interface Blob {
  etag: string;
  metadata?: Record<string, string>;
  copyStatus?: string;
}

/** Creates an inbox with the file, and a service whose behaviour a test defines. */
function service(given: { statuses?: string[]; deleting?: (blobs: Map<string, Blob>) => void } = {}) {
  const blobs = new Map<string, Blob>([['inbox/echo/a.ndjson', { etag: '"0x1"' }]]);
  const calls: string[] = [];
  const statuses = [...(given.statuses ?? [])];
  const clientOf = (path: string) => ({
    url: path,
    getProperties: async () => {
      const blob = blobs.get(path);
      if (!blob) throw serviceError(404);
      return { ...blob, copyStatus: blob.copyStatus && (statuses.shift() ?? blob.copyStatus) };
    },
    beginCopyFromURL: async (
      source: string,
      { metadata, sourceConditions }: { metadata: Record<string, string>; sourceConditions: { ifMatch: string } },
    ) => {
      calls.push('copy');
      if (!blobs.has(source)) throw serviceError(404);
      if (blobs.get(source)?.etag !== sourceConditions.ifMatch) throw serviceError(412);
      blobs.set(path, { etag: '"copy"', metadata, copyStatus: 'success' });
      return { isDone: () => given.statuses === undefined };
    },
    delete: async ({ conditions }: { conditions: { ifMatch: string } }) => {
      calls.push('delete');
      given.deleting?.(blobs);
      if (!blobs.has(path)) throw serviceError(404);
      if (blobs.get(path)?.etag !== conditions.ifMatch) throw serviceError(412);
      blobs.delete(path);
    },
  });
  const container = (name: string) =>
    ({ getBlobClient: (blob: string) => clientOf(`${name}/${blob}`) }) as unknown as ContainerClient;
  return { blobs, calls, deps: { container, pause: async () => {} } };
}

describe('moving a file out of the inbox', () => {
  it('waits until the service has finished the copy before it deletes the source', async () => {
    const { blobs, calls, deps } = service({ statuses: ['pending', 'pending', 'success'] });

    await moveFile(deps, MOVE);

    expect(calls).toEqual(['copy', 'delete']);
    expect([...blobs.keys()]).toEqual(['inbox-done/echo/a.ndjson']);
  });

  it('stops waiting after a limit, and continues with the same copy when it is repeated', async () => {
    const { blobs, calls, deps } = service({ statuses: Array<string>(20).fill('pending') });

    await expect(moveFile(deps, MOVE)).rejects.toThrow(CopyPendingError);
    expect(blobs.has('inbox/echo/a.ndjson')).toBe(true);
    await moveFile(deps, { ...MOVE, repeated: true });

    expect(calls).toEqual(['copy', 'delete']);
    expect([...blobs.keys()]).toEqual(['inbox-done/echo/a.ndjson']);
  });

  it.each(['failed', 'aborted'])('leaves the source when the copy has %s', async (status) => {
    const { blobs, calls, deps } = service({ statuses: [status] });

    await expect(moveFile(deps, MOVE)).rejects.toThrow(`ended as ${status}`);

    expect(calls).toEqual(['copy']);
    expect(blobs.has('inbox/echo/a.ndjson')).toBe(true);
  });

  it('copies again when the copy of an earlier scan has failed', async () => {
    const { blobs, calls, deps } = service({ statuses: ['failed', 'success'] });
    blobs.set('inbox-done/echo/a.ndjson', { etag: '"x"', metadata: { sourceetag: '0x1' }, copyStatus: 'pending' });

    await moveFile(deps, { ...MOVE, repeated: true });

    expect(calls).toEqual(['copy', 'delete']);
  });

  it('accepts a repeated delete whose response was lost', async () => {
    const { blobs, deps } = service({ deleting: (all) => all.delete('inbox/echo/a.ndjson') });

    await moveFile(deps, MOVE);

    expect([...blobs.keys()]).toEqual(['inbox-done/echo/a.ndjson']);
  });

  it('does not delete another version of the file', async () => {
    const { blobs, deps } = service({ deleting: (all) => all.set('inbox/echo/a.ndjson', { etag: '"0x2"' }) });

    await moveFile(deps, MOVE);

    expect(blobs.get('inbox/echo/a.ndjson')).toEqual({ etag: '"0x2"' });
  });

  it.each([412, 409])('fails when the unchanged file cannot be deleted (%i)', async (status) => {
    const { deps } = service({
      deleting: () => {
        throw serviceError(status);
      },
    });

    await expect(moveFile(deps, MOVE)).rejects.toMatchObject({ statusCode: status });
  });

  it('removeFile deletes without a copy', async () => {
    const { blobs, calls, deps } = service();

    await removeFile(deps, FILE);

    expect(calls).toEqual(['delete']);
    expect(blobs.size).toBe(0);
  });
});
