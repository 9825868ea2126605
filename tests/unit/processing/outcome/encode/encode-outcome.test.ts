import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isSkippableMagic, skippablePayload } from '../../../../../shared/contract/frame.ts';
import { outcomeHeaderSchema } from '../../../../../shared/contract/outcome.ts';
import { encodeOutcome } from '../../../../../shared/processing/outcome/encode/encode-outcome.ts';

const counts = { items: 4, succeeded: 2, dead: 1, cancelled: 0, retried: 1 };
const facts = { ending: 'processed' as const, counts };
const lines = { results: ['{"a":1}', '2'], retries: ['{"r":1}'], dead: ['{"d":"ü"}'], partial: ['{"p":1}', '{"p":2}'] };

describe('encodeOutcome', () => {
  it('puts the results into a plain frame and the rest into skippable frames after it', () => {
    const { header, body } = encodeOutcome(facts, lines);
    const shown = header.results?.length ?? 0;
    expect(zstdDecompressSync(body.subarray(0, shown)).toString()).toBe('{"a":1}\n2\n');
    expect(skippedFrames(body, shown)).toEqual(['{"r":1}\n', '{"d":"ü"}\n', '{"p":1}\n{"p":2}\n']);
  });

  it('points at the inner frames', () => {
    const { header, body } = encodeOutcome(facts, lines);
    const { offset = 0, length = 0, bytes, items } = header.dead ?? {};
    expect(zstdDecompressSync(body.subarray(offset, offset + length)).toString()).toBe('{"d":"ü"}\n');
    expect({ bytes, items }).toEqual({ bytes: 11, items: 1 });
  });

  it('omits empty frames, but starts with an empty plain frame', () => {
    const { header, body } = encodeOutcome(facts, { dead: ['1'] });
    expect(Object.keys(header)).toEqual(['v', 'handlerSeconds', 'ending', 'counts', 'dead']);
    expect(Buffer.from(body).readUInt32LE(0)).toBe(0xfd2fb528);
    expect(zstdDecompressSync(body.subarray(0, (header.dead?.offset ?? 0) - 8))).toHaveLength(0);
  });

  it('creates a header that the contract accepts and that fits into blob metadata', () => {
    const { header } = encodeOutcome({ ...facts, dueAt: '2026-01-01T00:00:00.000Z' }, lines);
    expect(outcomeHeaderSchema.parse(header)).toEqual(header);
    expect(JSON.stringify(header).length).toBeLessThan(2_048);
  });

  it('creates a separate body, which can be moved to another thread', () => {
    const { body } = encodeOutcome(facts, lines);
    expect(body.buffer.byteLength).toBe(body.length);
  });
});

function skippedFrames(body: Uint8Array, from: number): string[] {
  const all = Buffer.from(body);
  const found: string[] = [];
  for (let at = from; at < all.length; ) {
    expect(isSkippableMagic(all.readUInt32LE(at))).toBe(true);
    const end = at + 8 + all.readUInt32LE(at + 4);
    found.push(zstdDecompressSync(skippablePayload(all.subarray(at, end))).toString());
    at = end;
  }
  return found;
}
