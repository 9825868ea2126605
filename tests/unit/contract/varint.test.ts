import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameError } from '../../../shared/contract/errors.ts';
import { VarintReader, VarintWriter } from '../../../shared/contract/varint.ts';

describe('varints', () => {
  it('keep whole numbers up to 2^53', () => {
    const numbers = fc.array(fc.oneof(fc.nat(), fc.maxSafeNat()), { maxLength: 50 });
    fc.assert(
      fc.property(numbers, fc.uint8Array(), (values, bytes) => {
        const writer = new VarintWriter();
        for (const value of values) writer.write(value);
        const reader = new VarintReader(writer.writeBytes(bytes).bytes());
        expect(values.map(() => reader.read())).toEqual(values);
        expect([...reader.readBytes(bytes.length)]).toEqual([...bytes]);
        expect(reader.isAtEnd).toBe(true);
      }),
    );
  });

  it.each([[[]], [[0x80]], [Array.from({ length: 9 }, () => 0xff)]])('are refused as %j', (bytes) => {
    expect(() => new VarintReader(Buffer.from(bytes)).read()).toThrow(FrameError);
    expect(() => new VarintReader(Buffer.from(bytes)).readBytes(10)).toThrow(FrameError);
  });
});
