import type { LookupFunction } from 'node:net';
import functions from '@azure/functions';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readBatch } from '../../../shared/batches/ledger.ts';
import { importBatch } from '../../../shared/http/inbox/import-batch.ts';
import { listInbox } from '../../../shared/http/inbox/list-inbox.ts';
import { deleteInboxFile, retryInboxFile } from '../../../shared/http/inbox/rejected-files.ts';
import { importAnswerSchema, inboxListSchema } from '../../../shared/http/inbox/schemas.ts';
import { accountOf } from '../../../shared/intake/import/import-file.ts';
import { collectInbox, type InboxResult } from '../../../shared/intake/inbox/inbox.ts';
import type { InboxDeps } from '../../../shared/intake/inbox/take-file.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { serviceError } from '../../helpers/data/factories.ts';
import { answering } from '../../helpers/fakes/answering.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { echo } from '../in-process/echo.ts';
import { inventory, itemsOf, ndjson, startWorld, type World } from '../in-process/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.stop());
afterEach(async () => {
  world.topic.broken = false;
  for (const name of ['inbox', 'inbox-done', 'inbox-rejected']) {
    const container = world.clients.container(name);
    for await (const blob of container.listBlobsFlat()) await container.deleteBlob(blob.name);
  }
});

const collect = (): Promise<InboxResult> =>
  withLog(SILENT_LOG, () => collectInbox({ ...world.deps, settings: world.settings }));
const drop = (name: string, content = ndjson(itemsOf(3)), metadata: Record<string, string> = {}) =>
  world.clients.container('inbox').getBlockBlobClient(name).upload(content, content.length, { metadata });
const propertiesOf = (container: string, name: string) =>
  world.clients.container(container).getBlobClient(name).getProperties();
const namesIn = async (container: string): Promise<string[]> => {
  const names: string[] = [];
  for await (const { name } of world.clients.container(container).listBlobsFlat()) names.push(name);
  return names;
};

const request = (path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', body?: unknown) =>
  new functions.HttpRequest({
    url: `http://localhost/api/${path}`,
    method,
    ...(body === undefined ? {} : { body: { string: JSON.stringify(body) } }),
  });
const call = (handler: Parameters<typeof answering>[0], asked: ReturnType<typeof request>) =>
  answering(handler)(asked, undefined as never);
const list = async (query = '', listTaking = async function* (): AsyncGenerator<never> {}) => {
  const deps = { container: world.clients.container, registry: world.deps.registry, listTaking };
  const answer = await call((asked) => listInbox(deps, asked), request(`inbox${query}`));
  const next = /<\/api\/inbox(.*)>/.exec((answer.headers as Record<string, string> | undefined)?.link ?? '')?.[1];
  return { ...answer, next, files: answer.status === undefined ? inboxListSchema.parse(answer.jsonBody).files : [] };
};
const retry = (name: string) =>
  call((asked) => retryInboxFile(world.deps, asked), request('inbox/retry', 'POST', { name }));
const remove = (name: string) =>
  call((asked) => deleteInboxFile(world.deps, asked), request(`inbox?name=${encodeURIComponent(name)}`, 'DELETE'));

describe('a file that is rejected', () => {
  it('is published before it is moved, and again if the event was lost', async () => {
    await drop('echo/bad.ndjson', '{"id":');
    world.topic.broken = true;

    await collect();
    expect(await namesIn('inbox')).toEqual(['echo/bad.ndjson']);
    world.topic.broken = false;
    await collect();

    expect(world.topic.events).toMatchObject([
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

  it('returns to the inbox with its metadata, and is accepted after the settings are corrected', async () => {
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
    const rejected = world.clients.container('inbox-rejected').getBlockBlobClient('echo/a.ndjson');
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

describe('a file that is imported', () => {
  const REGISTRY = createRegistry([{ ...echo, containers: ['uploads'] }]);
  const SOURCE = ndjson(itemsOf(3));
  const source = () => world.clients.container('uploads');
  const addressOf = (name: string) => `${accountOf(world.clients.container('inbox'))}uploads/${name}`;
  beforeAll(() => source().createIfNotExists());

  const order = (body: unknown, headers: Record<string, string> = {}, settings = {}) => {
    const path = 'workloads/echo/batches/from-url';
    const asked = new functions.HttpRequest({
      ...{ url: `http://localhost/api/${path}`, method: 'POST', params: { workload: 'echo' }, headers },
      body: { string: JSON.stringify(body) },
    });
    const own = { container: world.clients.container, registry: REGISTRY };
    const urlHosts = { urlHosts: ['*.example.com'], inboxSchedule: '* * * * * *', ...settings };
    return call((message) => importBatch({ ...own, settings: urlHosts }, message), asked);
  };
  const ordered = async (body: unknown, headers?: Record<string, string>): Promise<string> => {
    const answer = await order(body, headers);
    expect(answer.status).toBe(202);
    return importAnswerSchema.parse(answer.jsonBody).inbox.name;
  };
  const collectWith = (deps: Partial<InboxDeps> = {}): Promise<InboxResult> =>
    withLog(SILENT_LOG, () => collectInbox({ ...world.deps, settings: world.settings, registry: REGISTRY, ...deps }));
  const found = async (name: string) => (await list(`?name=${encodeURIComponent(name)}`)).files;

  it("becomes a batch in one check, from a declared container of the app's own account", async () => {
    await source().getBlockBlobClient('2026/a b.ndjson').upload(SOURCE, SOURCE.length);
    const url = addressOf('2026/a%20b.ndjson');
    const name = await ordered({ url, lane: 'normal', labels: { month: 'März' } });
    expect(name).toMatch(/^echo\/normal\/[0-9a-f]{12}-a b\.ndjson$/);
    expect(await found(name)).toMatchObject([{ name: `${name}.url`, state: 'waiting', workload: 'echo' }]);

    expect(await collectWith()).toMatchObject({ accepted: 1, rejected: 0 });

    expect(await found(name)).toMatchObject([{ name, state: 'done', batch: expect.any(String) }]);
    expect(await namesIn('inbox')).toEqual([]);
    const [{ batch = '' } = {}] = await found(name);
    expect((await readBatch(world.clients.batches, batch))?.row).toMatchObject({ accepted: 3 });
  });

  it('keeps the metadata of its order, even if the address then does not fit', async () => {
    await source().getBlockBlobClient('c.ndjson').upload(SOURCE, SOURCE.length);
    const text = (signs: number): string => '€'.repeat(signs);
    const labels = { ...Object.fromEntries([...'abcdefg'].map((key) => [key, text(100)])), h: text(85) };
    const name = await ordered({ url: addressOf('c.ndjson'), labels });

    expect(await collectWith()).toMatchObject({ accepted: 1, rejected: 0 });

    const [{ batch = '' } = {}] = await found(name);
    expect((await readBatch(world.clients.batches, batch))?.row).toMatchObject({ labels, fileName: 'c.ndjson' });
  });

  it('becomes one batch after a crash before its order is removed', async () => {
    const batches = async () => (await inventory(world.clients)).filter((line) => / batch$/.test(line)).length;
    const before = await batches();
    await source().getBlockBlobClient('b.ndjson').upload(SOURCE, SOURCE.length);
    const name = await ordered({ url: addressOf('b.ndjson') });
    await collectWith({ container: withoutDeleting(`${name}.url`) });
    expect(await namesIn('inbox')).toEqual([name, `${name}.url`]);

    await collectWith();

    expect(await found(name)).toMatchObject([{ state: 'done' }]);
    expect(await namesIn('inbox')).toEqual([]);
    expect(await batches()).toBe(before + 1);
  });

  it('reports the progress of the copy while it is under way', async () => {
    const name = await ordered({ url: 'https://files.example.com/c.csv.gz' });
    const target = world.clients.container('inbox').getBlockBlobClient(name);
    await target.stageBlock(Buffer.from('0000000000000000-000000').toString('base64'), 'abc', 3);

    expect(await found(name)).toMatchObject([{ name: `${name}.url`, state: 'taking', readBytes: 3 }]);
  });

  it('is rejected, with a reason and an event, when its source cannot be read', async () => {
    const name = await ordered({ url: addressOf('none.csv') });

    expect(await collectWith()).toMatchObject({ rejected: 1 });

    expect(await found(name)).toMatchObject([
      { name: `${name}.url`, state: 'rejected', reason: { type: 'source-unreadable', status: 422 } },
    ]);
    expect(world.topic.events).toMatchObject([
      { type: 'InboxRejected', details: { name: `${name}.url`, type: 'source-unreadable' } },
    ]);
  });

  it('is tried again while its source fails temporarily, and rejected after an hour', async () => {
    const name = await ordered({ url: 'https://files.example.com/d.ndjson?sig=s3cret' });
    const urls = {
      lookup: ((_host, _options, failed) =>
        failed(Object.assign(new Error('later'), { code: 'EAI_AGAIN' }), '')) as LookupFunction,
    };
    const settings = { ...world.settings, urlHosts: ['files.example.com'] };

    expect(await collectWith({ settings, urls })).toMatchObject({ deferred: 1 });
    world.wait(61 * 60_000);
    expect(await collectWith({ settings, urls })).toMatchObject({ rejected: 1 });

    const [file] = await found(name);
    expect(file).toMatchObject({ state: 'rejected', reason: { detail: expect.stringContaining('tried for an hour') } });
    expect(JSON.stringify(file)).not.toContain('s3cret');
  });

  it('is one file for one idempotency key', async () => {
    const url = 'https://files.example.com/e.ndjson';
    const headers = { 'idempotency-key': 'order 7' };
    const [first, repeat] = [await ordered({ url }, headers), await ordered({ url }, headers)];

    expect(repeat).toBe(first);
    expect(await order({ url: `${url}?other` }, headers)).toMatchObject({ status: 422 });
    expect((await propertiesOf('inbox', `${first}.url`)).metadata).toMatchObject({ idempotencykey: 'order 7' });
  });

  it('keeps the options of its client', async () => {
    const csv = { delimiter: 'semicolon', decimal: ',', rename: { 'Old = name': 'newName' } };
    const url = 'https://files.example.com/download?id=7';
    const name = await ordered({ url, fileName: 'März.csv', labels: { month: 'März' }, csv });

    expect((await propertiesOf('inbox', `${name}.url`)).metadata).toEqual({
      ...{ filename: 'M%C3%A4rz.csv', labels: 'month=M%C3%A4rz' },
      csv: 'delimiter=semicolon&decimal=comma&rename=Old+%3D+name%3DnewName',
    });
  });

  it.each([
    [400, { url: 'https://127.0.0.1/a.csv' }],
    [400, { url: 'https://elsewhere.example.org/a.csv' }],
    [400, { url: 'https://files.example.com/a.csv', lane: 'none' }],
    [400, { url: 'https://files.example.com/a.csv', labels: { 'Not a key': 'x' } }],
    [400, { url: 'https://files.example.com/a.csv', csv: { delimiter: '#' } }],
    [400, { url: 'https://files.example.com/a.csv', fileName: '../payloads/a.csv' }],
    [400, { url: 'https://files.example.com/a.csv', unknown: 1 }],
    [400, { url: 'https://files.example.com/' }],
    [415, { url: 'https://files.example.com/download' }],
    [415, { url: 'https://files.example.com/a.csv', fileName: 'a.xlsx' }],
    [413, { url: 'https://files.example.com/a.csv', csv: { rename: { ['x'.repeat(8_000)]: 'y' } } }],
  ])('is refused with %i: %o', async (status, body) => {
    expect(await order(body)).toMatchObject({ status });
    expect(await namesIn('inbox')).toEqual([]);
  });

  it('is refused if no app would take it', async () => {
    const url = 'https://files.example.com/a.csv';
    const refused = await order({ url }, {}, { inboxSchedule: undefined });

    expect(refused).toMatchObject({ status: 409 });
    expect(JSON.parse(String(refused.body)).detail).toContain('pool "default" of workload "echo"');
  });

  it("is accepted by any app, and copied by the app of the workload's pool", async () => {
    await source().getBlockBlobClient('f.ndjson').upload(SOURCE, SOURCE.length);
    const name = await ordered({ url: addressOf('f.ndjson') });
    const collectOf = (pool: string) => collectWith({ settings: { ...world.settings, pool } });

    expect(await collectOf('other')).toEqual({ accepted: 0, rejected: 0, deferred: 0, unfinished: 0, stuck: 0 });
    expect(await found(name)).toMatchObject([{ name: `${name}.url`, state: 'waiting' }]);
    expect(await collectOf(echo.pool)).toMatchObject({ accepted: 1 });
    expect(await found(name)).toMatchObject([{ name, state: 'done' }]);
  });
});

/** Returns containers in which one blob cannot be deleted for now. */
const withoutDeleting =
  (name: string): InboxDeps['container'] =>
  (container) => {
    const client = world.clients.container(container);
    const blobOf = client.getBlobClient.bind(client);
    client.getBlobClient = (blob) => {
      const found = blobOf(blob);
      if (blob === name) found.delete = () => Promise.reject(serviceError(503));
      return found;
    };
    return client;
  };

describe('the listing of the inbox', () => {
  it('contains waiting and taken files, page by page, before rejected ones', async () => {
    await drop('echo/bad.ndjson', '{"id":');
    await drop('nobody/bad.ndjson', '{}');
    await collect();
    for (const name of ['echo/1.ndjson', 'echo/2.ndjson', 'other.txt']) await drop(name);
    const { etag = '' } = await propertiesOf('inbox', 'echo/2.ndjson');
    const taking = { name: 'echo/2.ndjson', readBytes: 40, readItems: 2, since: '2026-01-01T00:00:00.000Z' };
    const listTaking = async function* () {
      yield { ...taking, name: 'echo/1.ndjson', etag: '0xreplaced' };
      yield { ...taking, etag: etag.replaceAll('"', '') };
    };

    const seen: string[] = [];
    for (let query: string | undefined = '?limit=2'; query !== undefined; ) {
      const page = await list(query, listTaking as never);
      seen.push(...page.files.map(({ name, state, readItems = '' }) => `${state} ${name} ${readItems}`.trim()));
      query = page.next;
    }

    expect(seen).toEqual([
      ...['waiting echo/1.ndjson', 'taking echo/2.ndjson 2', 'waiting other.txt'],
      ...['rejected echo/bad.ndjson', 'rejected nobody/bad.ndjson'],
    ]);
    const names = async (query: string) => (await list(query)).files.map(({ name }) => name);
    expect(await names('?workload=echo&state=waiting')).toEqual(['echo/1.ndjson', 'echo/2.ndjson']);
    expect(await names('?workload=nobody')).toEqual(['nobody/bad.ndjson']);
  });

  it('contains an address file whose target name is invalid', async () => {
    await drop('.url');
    expect((await list()).files).toMatchObject([{ name: '.url', state: 'waiting', workload: null }]);
    expect(await collect()).toMatchObject({ rejected: 1 });
  });

  it('finds one file by its name in any state, with the batch that it became', async () => {
    await drop('echo/a.ndjson');
    const stateOf = async (name: string) => (await list(`?name=${encodeURIComponent(name)}`)).files;
    expect(await stateOf('echo/a.ndjson')).toMatchObject([{ state: 'waiting' }]);
    await drop('echo/bad.ndjson', '{"id":');
    await collect();

    const { metadata = {} } = await propertiesOf('inbox-done', 'echo/a.ndjson');
    expect(await stateOf('echo/a.ndjson')).toMatchObject([{ state: 'done', batch: metadata.batch }]);
    expect(await stateOf('echo/bad.ndjson')).toMatchObject([{ state: 'rejected', reason: { status: 400 } }]);
    expect(await stateOf('echo/bad.ndjson.reason.json')).toEqual([]);
    expect(await stateOf('echo/none.ndjson')).toEqual([]);
  });

  it.each([
    ...['?limit=0', '?limit=201', '?state=done', '?state=lost', '?workload=..', '?after=elsewhere', '?after=inbox.*'],
    ...['?name=', '?name=echo/../../payloads/x', '?name=echo%5C..%5Cx'],
  ])('refuses %s', async (query) => {
    expect(await list(query)).toMatchObject({ status: 400 });
  });
});
