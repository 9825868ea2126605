import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeImages } from '../../../demo/usage/media.ts';
import type { ItemList } from '../../../shared/http/items/schemas.ts';
import { finished } from '../../helpers/client.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

let stack: TestStack;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-media-'));
  stack = await startStack({ settings: { SLUICE_THREADS: '1' } });
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('images in a container become thumbnails, rows and a report, and the receipt contains the operations of the handlers', async () => {
  const file = join(folder, 'images.ndjson');
  const compare = await writeImages(file, { items: 30, seed: 3, storage: stack.storage });

  const accepted = await stack.api('workloads/media/batches', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: await readFile(file, 'utf8'),
  });
  const { id } = (await accepted.json()) as { id: string };
  const batch = await finished(stack, id);

  const rows = (await (await stack.api(`batches/${id}/report`)).text()).trimEnd().split('\n');
  const report = rows.map((line) => JSON.parse(line) as { key: string; value: unknown });
  expect(await compare({ counts: batch.counts, report })).toEqual([]);
  expect(batch.counts).toMatchObject({ accepted: 30, dead: 2 });
  const { receipt } = (await (await stack.api(`batches/${id}`)).json()) as { receipt: { operations: Operations } };
  // 28 images with three thumbnails each.
  expect(receipt.operations['blob.put']).toBeGreaterThan(28 * 3);

  const { items } = (await (await stack.api(`batches/${id}/items?results`)).json()) as ItemList;
  const sources = (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).source);
  expect(items.map((item) => item.id)).toEqual(sources);
  expect(items.filter(({ state }) => state === 'succeeded').map(({ result }) => result)).toHaveLength(28);
  for (const { id: source, state, result, error } of items) {
    if (state === 'succeeded') expect(result).toMatchObject({ source, thumbnails: expect.any(Array) });
    else expect([state, error]).toEqual(['dead', expect.any(String)]);
  }
  const found = await (await stack.api(`batches/${id}/items?itemId=${encodeURIComponent(sources[7])}`)).json();
  expect(found).toMatchObject({ positions: [7] });
});

it('an item cannot access a blob of another container', async () => {
  const accepted = await stack.api('workloads/media/batches', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: JSON.stringify({ source: '../payloads/secret' }),
  });
  const { id } = (await accepted.json()) as { id: string };
  const { counts } = await finished(stack, id);

  expect(counts).toMatchObject({ accepted: 1, dead: 1, retried: 0 });
  const letters = await (await stack.api(`batches/${id}/dead-letters`)).json();
  expect(letters).toMatchObject({ groups: [{ reason: 'rejected', count: 1 }] });
  expect(JSON.stringify(letters)).toContain('has a segment \\".\\" or \\"..\\"');
});

type Operations = Record<string, number>;
