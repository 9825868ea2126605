import type { ContainerClient } from '@azure/storage-blob';
import { expect, test } from 'vitest';
import { putOutcome, readOutcomeHeader } from '../../../../shared/processing/outcome/outcome-store.ts';
import { headerOf, referenceOf, serviceError } from '../../../helpers/data/factories.ts';
import { memoryBlobs } from '../../../helpers/fakes/memory-blobs.ts';

const chunk = referenceOf();
const outcome = (text: string, dead = 0) => ({ header: headerOf({ dead }), body: Buffer.from(text), causes: {} });

test('the first outcome of a chunk counts; a second writer continues with it', async () => {
  const { container, blobs } = memoryBlobs();
  const results = container('results');
  const first = await putOutcome(results, chunk, outcome('first'));

  const second = await putOutcome(results, chunk, outcome('second', 2));

  expect(first).toEqual({ header: headerOf(), first: true, isSent: true });
  expect(second).toEqual({ header: headerOf(), first: false, isSent: false });
  expect([...blobs.values()].map(({ body }) => body.toString())).toEqual(['first']);
});

test('a refused put fails if no outcome is stored: the one that was in its way has been deleted', async () => {
  const blob = {
    upload: () => Promise.reject(serviceError(409)),
    getProperties: () => Promise.reject(serviceError(404)),
  };
  const results = { getBlockBlobClient: () => blob } as unknown as ContainerClient;

  await expect(putOutcome(results, chunk, outcome('x'))).rejects.toMatchObject({ statusCode: 409 });
});

test('a chunk that has not ended has no header', async () => {
  expect(await readOutcomeHeader(memoryBlobs().container('results'), chunk)).toBeUndefined();
});

test('the header contains the most frequent causes, and adds up those that are equal after they were cut', async () => {
  const { container } = memoryBlobs();
  const causes = { ...Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`cause ${n}`, n + 1])) };
  const long = 'x'.repeat(120);

  const { header } = await putOutcome(container('results'), chunk, {
    ...outcome('x'),
    causes: { ...causes, [`${long}a`]: 6, [`${long}b`]: 7 },
  });

  expect(Object.entries(header.causes ?? {})).toEqual([
    [long, 13],
    ...[8, 7, 6, 5, 4, 3, 2].map((n) => [`cause ${n}`, n + 1]),
  ]);
});

test('causes that do not fit into the metadata of a blob are omitted, the rarest first', async () => {
  const { container, blobs } = memoryBlobs();
  const causes = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}${'\uffff'.repeat(119)}`, 8 - n]));
  const most = Number.MAX_SAFE_INTEGER;
  const parts = Array.from({ length: 32 }, (): [number, number] => [most, most]);
  const place = { offset: most, length: most, bytes: most, items: most, digest: chunk.digest };
  const full = { parts, results: place, retries: place, dead: place, partial: place };

  await putOutcome(container('results'), chunk, { ...outcome('x'), header: headerOf({}, full), causes });

  const stored = [...blobs.values()][0]?.metadata.outcome ?? '';
  const kept = Object.keys((JSON.parse(stored) as { causes: object }).causes);
  expect(stored.length).toBeLessThanOrEqual(8 * 1024 - 'outcome'.length);
  expect(kept.length).toBeLessThan(8);
  expect(kept).toEqual(Object.keys(causes).slice(0, kept.length));
});

test('a cause in any script is not changed by HTTP headers', async () => {
  const { container, blobs } = memoryBlobs();
  const causes = { 'Ошибка “сети” €': 1 };
  const header = headerOf({}, { causes });
  await putOutcome(container('results'), chunk, { header: headerOf(), body: Buffer.from('x'), causes });

  const [blob] = blobs.values();

  expect(blob?.metadata.outcome).toMatch(/^[ -~]+$/);
  expect(await readOutcomeHeader(container('results'), chunk)).toEqual(header);
});
