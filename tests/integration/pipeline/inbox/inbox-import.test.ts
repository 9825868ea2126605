import functions from '@azure/functions';
import { beforeAll, describe, expect, it } from 'vitest';
import { readBatch } from '../../../../shared/batches/ledger.ts';
import { importBatch } from '../../../../shared/http/inbox/import-batch.ts';
import { importAnswerSchema } from '../../../../shared/http/inbox/schemas.ts';
import { accountOf } from '../../../../shared/intake/inbox/import-file.ts';
import type { InboxDeps } from '../../../../shared/intake/inbox/inbox-deps.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { serviceError } from '../../../helpers/data/factories.ts';
import { echo } from '../../in-process/echo.ts';
import { inventory, itemsOf, ndjson } from '../../in-process/world.ts';
import { call, useInbox } from './use-inbox.ts';

const inbox = useInbox();
const { list, namesIn, propertiesOf } = inbox;

/** Returns containers in which one blob cannot be deleted for now. */
const withoutDeleting =
  (name: string): InboxDeps['container'] =>
  (container) => {
    const client = inbox.world.clients.container(container);
    const blobOf = client.getBlobClient.bind(client);
    client.getBlobClient = (blob) => {
      const found = blobOf(blob);
      if (blob === name) found.delete = () => Promise.reject(serviceError(503));
      return found;
    };
    return client;
  };

describe('a file that is imported', () => {
  const REGISTRY = createRegistry([{ ...echo, containers: ['uploads'] }]);
  const SOURCE = ndjson(itemsOf(3));
  const source = () => inbox.world.clients.container('uploads');
  const addressOf = (name: string) => `${accountOf(inbox.world.clients.container('inbox'))}uploads/${name}`;
  beforeAll(() => source().createIfNotExists());

  const order = (body: unknown, headers: Record<string, string> = {}, settings = {}) => {
    const path = 'workloads/echo/batches/from-url';
    const asked = new functions.HttpRequest({
      ...{ url: `http://localhost/api/${path}`, method: 'POST', params: { workload: 'echo' }, headers },
      body: { string: JSON.stringify(body) },
    });
    const own = { container: inbox.world.clients.container, registry: REGISTRY };
    const polled = { inboxSchedule: '* * * * * *', ...settings };
    return call((message) => importBatch({ ...own, settings: polled }, message), asked);
  };
  const ordered = async (body: unknown, headers?: Record<string, string>): Promise<string> => {
    const answer = await order(body, headers);
    expect(answer.status).toBe(202);
    return importAnswerSchema.parse(answer.jsonBody).inbox.name;
  };
  const collect = (deps: Partial<InboxDeps> = {}) => inbox.collect({ registry: REGISTRY, ...deps });
  const found = async (name: string) => (await list(`?name=${encodeURIComponent(name)}`)).files;

  it("becomes a batch in one scan, from a declared container of the app's own account", async () => {
    await source().getBlockBlobClient('2026/a b.ndjson').upload(SOURCE, SOURCE.length);
    const url = addressOf('2026/a%20b.ndjson');
    const name = await ordered({ url, lane: 'normal', labels: { month: 'März' } });
    expect(name).toMatch(/^echo\/normal\/[0-9a-f]{12}-a b\.ndjson$/);
    const waiting = { name: `${name}.url`, state: 'waiting', workload: 'echo', importedFrom: url };
    expect(await found(name)).toMatchObject([waiting]);

    expect(await collect()).toMatchObject({ accepted: 1, rejected: 0 });

    const done = { name: `${name}.url`, state: 'done', batch: expect.any(String) };
    expect(await found(name)).toMatchObject([done]);
    expect(await namesIn('inbox')).toEqual([]);
    const [{ batch = '' } = {}] = await found(name);
    expect((await readBatch(inbox.world.clients.batches, batch))?.row).toMatchObject({
      accepted: 3,
      fileName: 'a b.ndjson',
    });
  });

  it('keeps the metadata of its order, even if the address then does not fit', async () => {
    await source().getBlockBlobClient('c.ndjson').upload(SOURCE, SOURCE.length);
    const text = (signs: number): string => '€'.repeat(signs);
    const labels = { ...Object.fromEntries([...'abcdefg'].map((key) => [key, text(100)])), h: text(85) };
    const name = await ordered({ url: addressOf('c.ndjson'), labels });

    expect(await collect()).toMatchObject({ accepted: 1, rejected: 0 });

    const [{ batch = '' } = {}] = await found(name);
    expect((await readBatch(inbox.world.clients.batches, batch))?.row).toMatchObject({ labels, fileName: 'c.ndjson' });
  });

  it('becomes one batch after a crash before its order is removed', async () => {
    const batches = async () => (await inventory(inbox.world.clients)).filter((line) => / batch$/.test(line)).length;
    const before = await batches();
    await source().getBlockBlobClient('b.ndjson').upload(SOURCE, SOURCE.length);
    const name = await ordered({ url: addressOf('b.ndjson') });
    await collect({ container: withoutDeleting(`${name}.url`) });
    expect(await namesIn('inbox')).toEqual([`${name}.url`]);
    await source().deleteBlob('b.ndjson');

    await collect();

    expect(await found(name)).toMatchObject([{ state: 'done' }]);
    expect(await namesIn('inbox')).toEqual([]);
    expect(await batches()).toBe(before + 1);
  });

  it('is rejected, with a reason and an event, when its source cannot be read', async () => {
    const name = await ordered({ url: addressOf('none.csv') });

    expect(await collect()).toMatchObject({ rejected: 1 });

    expect(await found(name)).toMatchObject([
      { name: `${name}.url`, state: 'rejected', reason: { type: 'source-unreadable', status: 422 } },
    ]);
    expect(inbox.world.topic.events).toMatchObject([
      { type: 'InboxRejected', details: { name: `${name}.url`, type: 'source-unreadable' } },
    ]);
  });

  it('is tried again while its source fails temporarily', async () => {
    await source().getBlockBlobClient('d.ndjson').upload(SOURCE, SOURCE.length);
    const name = await ordered({ url: addressOf('d.ndjson') });
    const failing: InboxDeps['container'] = (container) => {
      const client = inbox.world.clients.container(container);
      if (container === 'uploads')
        client.getBlobClient = (blob) =>
          Object.assign(client.getBlockBlobClient(blob), { download: () => Promise.reject(serviceError(503)) });
      return client;
    };

    expect(await collect({ container: failing })).toMatchObject({ deferred: 1 });
    expect(await collect()).toMatchObject({ accepted: 1 });

    expect(await found(name)).toMatchObject([{ state: 'done' }]);
  });

  it('is rejected if it is not finished after a day', async () => {
    await source().getBlockBlobClient('g.ndjson').upload(SOURCE, SOURCE.length);
    const name = await ordered({ url: addressOf('g.ndjson') });
    inbox.world.wait(25 * 60 * 60_000);

    expect(await collect()).toMatchObject({ rejected: 1 });

    expect(await found(name)).toMatchObject([{ state: 'rejected', reason: { type: 'source-unreadable' } }]);
  });

  it('is one file for one idempotency key', async () => {
    const url = addressOf('e.ndjson');
    const headers = { 'idempotency-key': 'order 7' };
    const [first, repeat] = [await ordered({ url }, headers), await ordered({ url }, headers)];

    expect(repeat).toBe(first);
    expect(await order({ url: addressOf('other/e.ndjson') }, headers)).toMatchObject({ status: 422 });
    expect((await propertiesOf('inbox', `${first}.url`)).metadata).toMatchObject({ idempotencykey: 'order 7' });
  });

  it('keeps the options of its client', async () => {
    const csv = { delimiter: 'semicolon', decimal: ',', rename: { 'Old = name': 'newName' } };
    const url = addressOf('download');
    const name = await ordered({ url, fileName: 'März.csv', labels: { month: 'März' }, csv });

    expect((await propertiesOf('inbox', `${name}.url`)).metadata).toEqual({
      ...{ filename: 'M%C3%A4rz.csv', labels: 'month=M%C3%A4rz', importedfrom: url },
      csv: 'delimiter=semicolon&decimal=comma&rename=Old+%3D+name%3DnewName',
    });
  });

  it.each([
    [400, 'https://elsewhere.example.org/a.csv', {}],
    [400, 'a.csv?sig=s3cret', {}],
    [400, 'a.csv', { lane: 'none' }],
    [400, 'a.csv', { labels: { 'Not a key': 'x' } }],
    [400, 'a.csv', { csv: { delimiter: '#' } }],
    [400, 'a.csv', { fileName: '../payloads/a.csv' }],
    [400, 'a.csv', { unknown: 1 }],
    [400, '', {}],
    [415, 'download', {}],
    [415, 'a.csv', { fileName: 'a.xlsx' }],
    [413, 'a.csv', { csv: { rename: { ['x'.repeat(8_000)]: 'y' } } }],
  ])('is refused with %i: %s %o', async (status, name, more) => {
    const url = name.startsWith('https:') ? name : addressOf(name);

    expect(await order({ url, ...more })).toMatchObject({ status });
    expect(await namesIn('inbox')).toEqual([]);
  });

  it('is refused if no app would take it', async () => {
    const url = addressOf('a.csv');
    const refused = await order({ url }, {}, { inboxSchedule: undefined });

    expect(refused).toMatchObject({ status: 409 });
    expect(JSON.parse(String(refused.body)).detail).toContain('pool "default" of workload "echo"');
  });

  it("is accepted by any app, and read by the app of the workload's pool", async () => {
    await source().getBlockBlobClient('f.ndjson').upload(SOURCE, SOURCE.length);
    const name = await ordered({ url: addressOf('f.ndjson') });
    const collectOf = (pool: string) => collect({ settings: { ...inbox.world.settings, pool } });

    expect(await collectOf('other')).toEqual({ accepted: 0, rejected: 0, deferred: 0, unfinished: 0, stuck: 0 });
    expect(await found(name)).toMatchObject([{ name: `${name}.url`, state: 'waiting' }]);
    expect(await collectOf(echo.pool)).toMatchObject({ accepted: 1 });
    expect(await found(name)).toMatchObject([{ name: `${name}.url`, state: 'done' }]);
  });
});
