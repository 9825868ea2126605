/** Records that are recognised in the bytes, and their faults, equal those of decoding and parsing each record. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../shared/errors.ts';
import { requireJson } from '../../../../shared/intake/parse/json-fault.ts';
import { parseJsonArray } from '../../../../shared/intake/parse/parse-json-array.ts';
import { parseNdjson } from '../../../../shared/intake/parse/parse-ndjson.ts';
import { requireUtf8 } from '../../../../shared/intake/parse/position.ts';
import type { RecordBlock } from '../../../../shared/intake/parse/record-block.ts';
import { byteByByte, cut, offsets } from '../uploads.ts';
import { json, nearJson, soup } from './json-soup.ts';

interface Outcome {
  records: string[];
  /** Type, message and positions of the problem. */
  problem: unknown;
}

/** Returns the records as `line: record`, in hex, up to the first problem. */
async function outcomeOf(blocks: AsyncIterable<RecordBlock>): Promise<Outcome> {
  const records: string[] = [];
  try {
    for await (const { bytes, ends, lines } of blocks)
      for (const [index, end] of ends.entries())
        records.push(`${lines[index]}: ${bytes.toString('hex', ends[index - 1] ?? 0, end - 1)}`);
    return { records, problem: undefined };
  } catch (error) {
    return { records, problem: factsOf(error) };
  }
}

function factsOf(error: unknown): unknown {
  if (!(error instanceof Problem)) throw error;
  return [error.type, error.message, error.errors];
}

/** Reads NDJSON line by line, each line as a text with JSON.parse. */
function readByParse(bytes: Buffer, maxBytes: number): Outcome {
  const records: string[] = [];
  const all = Buffer.concat([bytes, Buffer.from('\n')]);
  try {
    for (let line = 1, start = 0; start < all.length; line++) {
      const end = all.indexOf('\n', start);
      const stop = all[end - 1] === 0x0d && end > start ? end - 1 : end;
      const record = all.subarray(start, stop);
      const isBlank = /^[ \t\r]*$/.test(all.toString('latin1', start, end));
      if (isBlank ? end - start > maxBytes + 1 : record.length > maxBytes) {
        const message = `The record is over ${maxBytes} bytes.`;
        throw new Problem('too-large', `Line ${line}: ${message}`, { errors: [{ line, column: 1, message }] });
      }
      if (!isBlank) {
        requireUtf8(record, { line, column: 1 });
        requireJson(all.toString('utf8', start, end), { line, column: 1 });
        records.push(`${line}: ${record.toString('hex')}`);
      }
      start = end + 1;
    }
    return { records, problem: undefined };
  } catch (error) {
    return { records, problem: factsOf(error) };
  }
}

const joined = (parts: readonly Buffer[], separator: string): Buffer =>
  Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from(separator), part])));

const RUNS = { numRuns: 300 };

describe('records that are recognised in the bytes', () => {
  it('equal those of NDJSON read line by line, with the same faults, for any split', async () => {
    const blank = fc.constantFrom('', ' ', '\t\r', '\r').map((text) => Buffer.from(text));
    const line = fc.oneof({ weight: 6, arbitrary: json }, { weight: 1, arbitrary: nearJson }, blank, {
      weight: 1,
      arbitrary: fc.oneof({ weight: 3, arbitrary: json }, soup),
    });
    const upload = fc
      .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
      .map(([lines, ending, isEnded]) => joined(isEnded ? [...lines, Buffer.alloc(0)] : lines, ending));
    await fc.assert(
      fc.asyncProperty(upload, offsets, fc.constantFrom(20, 100, 10_000), async (bytes, at, maxRecordBytes) => {
        const expected = readByParse(bytes, maxRecordBytes);
        expect(await outcomeOf(parseNdjson(cut(bytes, at), { maxRecordBytes }))).toEqual(expected);
        expect(await outcomeOf(parseNdjson(byteByByte(bytes), { maxRecordBytes }))).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('equal those of a JSON array that arrives byte by byte, where none is recognised, with the same faults', async () => {
    const element = fc.oneof({ weight: 8, arbitrary: json }, { weight: 1, arbitrary: nearJson });
    const separator = fc.constantFrom(',', ', ', ',\n', ' ,\r\n\t', '\n,');
    const upload = fc
      .tuple(fc.array(element, { maxLength: 10 }), separator, fc.constantFrom(']', '\n]', ' ] ', '', ']]'), fc.nat(20))
      .map(([elements, between, end, at]) => {
        const odd = elements.length > 1 && at === 0 ? elements.slice(0, -1) : elements;
        return Buffer.concat([Buffer.from('['), joined(odd, between), Buffer.from(end)]);
      });
    await fc.assert(
      fc.asyncProperty(upload, offsets, fc.constantFrom(20, 100, 10_000), async (bytes, at, maxRecordBytes) => {
        const expected = await outcomeOf(parseJsonArray(byteByByte(bytes), { maxRecordBytes }));
        expect(await outcomeOf(parseJsonArray(cut(bytes, at), { maxRecordBytes }))).toEqual(expected);
        expect(await outcomeOf(parseJsonArray(cut(bytes), { maxRecordBytes }))).toEqual(expected);
      }),
      RUNS,
    );
  });
});
