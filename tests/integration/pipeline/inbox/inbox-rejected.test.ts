import { describe, expect, it } from 'vitest';
import { deleteInboxFile, retryInboxFile } from '../../../../shared/http/inbox/files.ts';
import { itemsOf, ndjson } from '../../in-process/world.ts';
import { call, request, useInbox } from './use-inbox.ts';

const inbox = useInbox();
const { collect, drop, list, namesIn, propertiesOf } = inbox;
const retry = (name: string) =>
  call((asked) => retryInboxFile(inbox.world.deps, asked), request('inbox/retry', 'POST', { name }));
const remove = (name: string) =>
  call(
    (asked) => deleteInboxFile(inbox.world.deps, asked),
    request(`inbox?name=${encodeURIComponent(name)}`, 'DELETE'),
  );

describe('a file that is rejected', () => {
  it('is published before it is moved, and again if the event was lost', async () => {
    await drop('echo/bad.ndjson', '{"id":');
    inbox.world.topic.broken = true;

    await collect();
    expect(await namesIn('inbox')).toEqual(['echo/bad.ndjson']);
    inbox.world.topic.broken = false;
    await collect();

    expect(inbox.world.topic.events).toMatchObject([
      { type: 'InboxRejected', workload: 'echo', details: { name: 'echo/bad.ndjson', type: 'malformed-record' } },
    ]);
    expect(await namesIn('inbox')).toEqual([]);
  });

  it('is listed with its reason, with line and column', async () => {
    await drop('echo/bad.ndjson', `${ndjson(itemsOf(2))}{"id":\n`);
    await collect();

    const { files } = await list('?state=rejected');

    expect(files).toMatchObject([
      {
        ...{ name: 'echo/bad.ndjson', workload: 'echo', lane: null, state: 'rejected' },
        reason: { type: 'malformed-record', errors: [{ line: 3, column: expect.any(Number) }] },
      },
    ]);
  });

  it('returns to the inbox with the metadata of its writer when it is retried', async () => {
    const csv = { idempotencykey: 'order 7', Filename: 'orders.ndjson', other: 'left out' };
    await drop('echo/fast/a.ndjson', undefined, csv);
    await collect();

    expect(await retry('echo/fast/a.ndjson')).toMatchObject({ status: 202 });

    expect(await namesIn('inbox-rejected')).toEqual([]);
    const { metadata } = await propertiesOf('inbox', 'echo/fast/a.ndjson');
    expect(metadata).toMatchObject({ idempotencykey: 'order 7', filename: 'orders.ndjson' });
    expect(metadata).not.toHaveProperty('other');
  });

  it('becomes one batch if its retry is repeated after a crash that followed the copy', async () => {
    await drop('echo/a.ndjson', '{"id":');
    await collect();
    const rejected = inbox.world.clients.container('inbox-rejected').getBlockBlobClient('echo/a.ndjson');
    const { metadata = {} } = await rejected.getProperties();
    await rejected.upload(ndjson(itemsOf(3)), ndjson(itemsOf(3)).length, { metadata });
    const kept = await rejected.downloadToBuffer();

    await retry('echo/a.ndjson');
    const { etag, metadata: own = {} } = await propertiesOf('inbox', 'echo/a.ndjson');
    await collect();
    const first = (await propertiesOf('inbox-done', 'echo/a.ndjson')).metadata?.batch;
    // The copy that the crash left, and the copy that the repeat creates.
    await drop('echo/a.ndjson', kept.toString(), { idempotencykey: own.idempotencykey ?? '' });
    await collect();

    expect((await propertiesOf('inbox', 'echo/a.ndjson').catch(() => undefined))?.etag).not.toBe(etag);
    expect((await propertiesOf('inbox-done', 'echo/a.ndjson')).metadata?.batch).toBe(first);
  });

  it('is not moved if the inbox has another file of its name', async () => {
    await drop('echo/bad.ndjson', '{"id":');
    await collect();
    await drop('echo/bad.ndjson', ndjson(itemsOf(1)));

    expect(await retry('echo/bad.ndjson')).toMatchObject({ status: 409 });

    expect(await namesIn('inbox-rejected')).toEqual(['echo/bad.ndjson', 'echo/bad.ndjson.reason.json']);
    expect((await propertiesOf('inbox', 'echo/bad.ndjson')).contentLength).toBe(ndjson(itemsOf(1)).length);
  });

  it('is deleted with its reason; deleting a reason alone or a missing file returns 404', async () => {
    await drop('echo/bad.ndjson', '{"id":');
    await collect();

    expect(await remove('echo/bad.ndjson.reason.json')).toMatchObject({ status: 404 });
    expect(await retry('echo/other.ndjson')).toMatchObject({ status: 404 });
    expect(await remove('echo/bad.ndjson')).toMatchObject({ status: 204 });

    expect(await namesIn('inbox-rejected')).toEqual([]);
    expect(await remove('echo/bad.ndjson')).toMatchObject({ status: 404 });
  });
});
