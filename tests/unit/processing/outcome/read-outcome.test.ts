import { describe, expect, it } from 'vitest';
import { FrameError } from '../../../../shared/contract/errors.ts';
import { encodeOutcome } from '../../../../shared/processing/outcome/encode/encode-outcome.ts';
import { readAll } from '../../../helpers/data/chunks.ts';
import { readDead, readPartial, readResultLines, readRetries } from '../../../helpers/data/read-outcome.ts';

const counts = { items: 1, succeeded: 1, dead: 0, cancelled: 0, retried: 0 };
const outcome = encodeOutcome(
  { ending: 'processed', counts },
  { results: ['{"id":1.0}', 'null'], partial: ['{"key":"a","value":[1]}'] },
);
const fetchFrom = (body: Uint8Array) => async (offset: number, length: number) =>
  body.subarray(offset, offset + length);

describe('reading an outcome', () => {
  it('returns results as the text that was written', async () => {
    expect(await readResultLines(outcome.header, fetchFrom(outcome.body))).toEqual(['{"id":1.0}', 'null']);
  });

  it('returns the lines of each frame; for an absent one, returns none and fetches nothing', async () => {
    const all = await readAll(outcome);
    expect(all.partial).toEqual([{ key: 'a', value: [1] }]);
    const never = async (): Promise<Uint8Array> => Promise.reject(new Error('fetched'));
    expect(await readRetries(outcome.header, never)).toEqual([]);
    expect(await readDead(outcome.header, never)).toEqual([]);
  });

  it('refuses bytes that do not match the header', async () => {
    const changed = outcome.body.map((byte, i) => (i === outcome.body.length - 6 ? byte ^ 1 : byte));
    await expect(readPartial(outcome.header, fetchFrom(changed))).rejects.toThrow(FrameError);
  });
});
