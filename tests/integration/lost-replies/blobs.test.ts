import { expect, test } from 'vitest';
import { readBatch } from '../../../shared/batches/ledger.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { CONTAINERS, newBatchId } from '../../../shared/contract/names.ts';
import { BlockUpload } from '../../../shared/intake/store/block-upload.ts';
import { putOutcome } from '../../../shared/processing/outcome/outcome-store.ts';
import { createThreadContainers } from '../../../shared/processing/thread/thread-containers.ts';
import { headerOf, referenceOf } from '../../helpers/data/factories.ts';
import { readReport } from '../../helpers/data/read-report.ts';
import { downstream, itemsOf } from '../in-process/world.ts';
import { type Lost, useLossy } from './lossy-storage.ts';

const lossy = useLossy();
const put = (container: string): Lost => ['blob', new RegExp(`^PUT /[^/]+/${container}/[^?]*$`)];
const BLOCK: Lost = ['blob', /^PUT .*comp=block&/];
const BLOCK_LIST: Lost = ['blob', /^PUT .*comp=blocklist/];

const rowOf = async (id: string) => (await readBatch(lossy.world.clients.batches, id))?.row;

async function namesIn(container: string, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of lossy.world.clients.container(container).listBlobsFlat({ prefix })) names.push(name);
  return names;
}

test.each<[string, Lost, number]>([
  ['put at once', ['blob', /^PUT [^?]*$/], 100],
  ['block', BLOCK, 4],
  ['block list', BLOCK_LIST, 4],
])('a payload whose %s was answered too late is complete', async (what, lost, blockBytes) => {
  const blob = lossy.world.clients.container(CONTAINERS.payloads).getBlockBlobClient(`blocks/${what}`);
  const upload = new BlockUpload(blob, { blockBytes: blockBytes, attempt: '0'.repeat(16) });
  lossy.lose(...lost);

  for (const text of ['abcd', 'efgh', 'ij']) await upload.append(Buffer.from(text));
  await upload.commit('sha256:1');

  lossy.assertLost();
  expect((await blob.downloadToBuffer()).toString()).toBe('abcdefghij');
});

test('a payload that another upload has put under the same name is not taken for its own', async () => {
  const blob = lossy.world.clients.container(CONTAINERS.payloads).getBlockBlobClient('blocks/foreign');
  await blob.upload('abcd', 4, { metadata: { digest: 'sha256:2' } });
  const upload = new BlockUpload(blob, { blockBytes: 100, attempt: '0'.repeat(16) });
  await upload.append(Buffer.from('abcd'));

  await expect(upload.commit('sha256:1')).rejects.toThrow();
});

test('a batch whose payload was answered too late is accepted once, with one payload', async () => {
  lossy.lose(...put('payloads'));

  const { id, payload } = await lossy.world.submit(itemsOf(9));

  lossy.assertLost();
  expect(await namesIn(CONTAINERS.payloads, `${id}/`)).toEqual([payload]);
});

test('an outcome whose put was answered too late belongs to its writer', async () => {
  const reference = referenceOf({ batch: newBatchId(Date.now()) });
  const results = lossy.world.clients.container(CONTAINERS.results);
  const causes = { 'Ошибка €': 1 };
  const header = headerOf({ dead: 1 }, { causes });
  lossy.lose(...put('results'));

  const own = await putOutcome(results, reference, {
    header: headerOf({ dead: 1 }),
    body: Buffer.from('first'),
    causes,
  });
  lossy.assertLost();
  const other = await putOutcome(results, reference, { header: headerOf(), body: Buffer.from('second'), causes: {} });

  expect(own).toEqual({ header, first: true, isSent: false });
  expect(other).toEqual({ header, first: false, isSent: false });
});

test('a batch whose outcome was answered too late counts its items once', async () => {
  const { id } = await lossy.world.submit(itemsOf(3));
  lossy.lose(...put('results'));

  await lossy.world.drainAll();

  lossy.assertLost();
  expect(await rowOf(id)).toMatchObject({ state: 'completed', succeeded: 3, duplicatesSeen: 0 });
});

test('a report whose put was answered too late is finished and announced once', async () => {
  const { id } = await lossy.world.submit(itemsOf(3));
  lossy.lose(...put('reports'));

  await lossy.world.drainAll();

  lossy.assertLost();
  expect(await rowOf(id)).toMatchObject({ state: 'completed', reportRevision: 0, announced: true });
  expect(await namesIn(CONTAINERS.reports, `${id}/`)).toHaveLength(1);
  expect(lossy.world.topic.events.filter(({ type }) => type === 'BatchCompleted')).toHaveLength(1);
  const report = await readReport(lossy.world.clients.container(CONTAINERS.reports), id, 0);
  expect(report).toBeDefined();
});

test.each<[string, Lost]>([
  ['selection', put('redrives')],
  ['transaction', ['table', /^POST .*\/\$batch$/, /enqueueing/]],
])('a redrive whose %s was answered too late takes effect once', async (_what, lost) => {
  downstream.broken.add('b');
  const { id } = await lossy.world.submit(itemsOf(9));
  await lossy.world.drainAll();
  downstream.broken.clear();
  lossy.lose(...lost);

  const answer = await redrive(lossy.world.deps, { batch: id, key: 'again', selection: {} });

  lossy.assertLost();
  expect(answer).toMatchObject({ batch: id, revision: 1, redriven: 3 });
  await lossy.world.drainAll();
  expect(await rowOf(id)).toMatchObject({ state: 'completed', revision: 1, succeeded: 9, dead: 0, announced: true });
  expect(await namesIn(CONTAINERS.redrives, `${id}/`)).toHaveLength(1);
});

test('a blob of a handler whose write was answered too late is stored', async () => {
  await lossy.world.clients.container('own').create();
  const open = createThreadContainers(lossy.world.settings);
  const container = open('own', new AbortController().signal);
  lossy.lose('blob', /^PUT .*\/own\/a/);

  await container.write('a', Buffer.from('content'));

  lossy.assertLost();
  expect((await container.read('a'))?.toString()).toBe('content');
});
