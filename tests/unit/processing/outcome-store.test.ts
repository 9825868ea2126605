import { expect, test } from 'vitest';
import { putOutcome, readOutcomeHeader } from '../../../shared/processing/outcome-store.ts';
import { headerOf, referenceOf } from '../../helpers/factories.ts';
import { memoryBlobs } from '../../helpers/memory-blobs.ts';

const chunk = referenceOf();
const outcome = (text: string, dead = 0) => ({ header: headerOf({ dead }), body: Buffer.from(text) });

test('the first outcome of a chunk stands; who comes second goes on with it', async () => {
  const { container, blobs } = memoryBlobs();
  const results = container('results');
  const first = await putOutcome(results, chunk, outcome('first'));

  const second = await putOutcome(results, chunk, outcome('second', 2));

  expect(first).toEqual({ header: headerOf(), first: true });
  expect(second).toEqual({ header: headerOf(), first: false });
  expect([...blobs.values()].map(({ body }) => body.toString())).toEqual(['first']);
});

test('a chunk that has not ended has no header', async () => {
  expect(await readOutcomeHeader(memoryBlobs().container('results'), chunk)).toBeUndefined();
});

test('a cause in any script survives the headers of HTTP', async () => {
  const { container, blobs } = memoryBlobs();
  const header = headerOf({}, { causes: { 'Ошибка “сети” €': 1 } });
  await putOutcome(container('results'), chunk, { header, body: Buffer.from('x') });

  const [blob] = blobs.values();

  expect(blob?.metadata.outcome).toMatch(/^[ -~]+$/);
  expect(await readOutcomeHeader(container('results'), chunk)).toEqual(header);
});
