import { describe, expect, it } from 'vitest';
import { toChunkEntity } from '../../../../shared/batches/chunk-row.ts';
import { type Selection, select } from '../../../../shared/commands/redrive/select.ts';
import { decodeFrame } from '../../../../shared/contract/frame.ts';
import { outcomeBlobName } from '../../../../shared/contract/names.ts';
import { encodeOutcome } from '../../../../shared/processing/outcome/encode/encode-outcome.ts';
import { batchRowOf, chunkRowOf, headerOf } from '../../../helpers/data/factories.ts';
import { memoryBlobs } from '../../../helpers/fakes/memory-blobs.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { workloadOf } from '../../../helpers/threads/run-chunk.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const workload = workloadOf(() => 1);
const batch = batchRowOf({ state: 'completedWithDeadLetters' });

/** Selects all dead letters of a chunk with these items as text. Returns the lines that run again. */
async function selected(items: string[], selection: Selection = {}, isOver = () => false): Promise<string[]> {
  const { table } = memoryTable();
  const { container, blobs } = memoryBlobs();
  const fields = { reason: 'rejected', error: { name: 'Error', message: 'no' }, attempts: [], version: 1 };
  const dead = items.map((item, index) => `${JSON.stringify({ index, ...fields }).slice(0, -1)},"item":${item}}`);
  const counts = headerOf({ items: items.length, dead: items.length }).counts;
  const { header, body } = encodeOutcome({ ending: 'processed', counts }, { dead });
  const row = chunkRowOf({ chunk: '000000', state: 'done', header });
  blobs.set(`results/${outcomeBlobName(row.reference.workload, row.batch, row.chunk)}`, {
    body: Buffer.from(body),
    metadata: {},
  });
  await table.createEntity(toChunkEntity(row));
  const { frames, chunks } = await select({ table, container }, { batch, workload, selection, nowMs: NOW, isOver });
  return frames.flatMap((frame, index) => {
    const { bytes = 0, digest = '' } = chunks[index] ?? {};
    return decodeFrame(frame, { bytes, digest }).toString().trimEnd().split('\n');
  });
}

describe('a patch', () => {
  it('changes each selected item except the corrected ones', async () => {
    const items = ['{"a":1.0,"b":1}', '{"a":2}', '{"a":3}'];
    const selection = { items: [0], corrected: [{ index: 2, json: '{"a":4}' }], patch: { b: null, c: 'x' } };
    expect(await selected(items, selection)).toEqual([
      '{"index":0,"attempts":[],"item":{"a":1.0,"c":"x"}}',
      '{"index":2,"attempts":[],"item":{"a":4}}',
    ]);
  });
});

it('a selection ends when its time is up, so that it does not outlive its request', async () => {
  await expect(selected(['{}'], {}, () => true)).rejects.toMatchObject({ type: 'too-large' });
});

describe('a selection keeps items as they were uploaded', () => {
  it.each([
    ['numbers beyond double precision', '{"n": 12345678901234567890.10}'],
    ['more levels than JSON.stringify supports', `${'['.repeat(6_000)}${']'.repeat(6_000)}`],
  ])('with %s', async (_what, item) => {
    expect(await selected(['{"a":1}', item])).toEqual([
      '{"index":0,"attempts":[],"item":{"a":1}}',
      `{"index":1,"attempts":[],"item":${item}}`,
    ]);
  });
});
