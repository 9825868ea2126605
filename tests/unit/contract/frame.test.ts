import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameError } from '../../../shared/contract/errors.ts';
import {
  decodeFrame,
  decodeFrameUpTo,
  digestOf,
  encodeFrame,
  encodeFrameSync,
  isSkippableMagic,
  SKIPPABLE_OVERHEAD,
  skippableFrame,
  skippablePayload,
} from '../../../shared/contract/frame.ts';

const bytes = Buffer.from('{"a":1}\n'.repeat(1_000));
const anyBytes = fc.uint8Array({ maxLength: 500 });

describe('a frame', () => {
  it('decodes to the original bytes, with either encoder', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (content) => {
        for (const frame of [await encodeFrame(content), encodeFrameSync(content)])
          expect(decodeFrame(frame, { bytes: content.length, digest: digestOf(frame) })).toEqual(Buffer.from(content));
      }),
    );
  });

  it('is refused if it is truncated at any position', () => {
    const frame = encodeFrameSync(bytes);
    const check = { bytes: bytes.length, digest: digestOf(frame) };
    for (let length = 0; length < frame.length; length++)
      expect(() => decodeFrame(frame.subarray(0, length), check)).toThrow(FrameError);
  });

  it('is refused without a digest too if it is truncated, except in its checksum, which Node 22 does not need', () => {
    const frame = encodeFrameSync(bytes);
    for (let length = 0; length <= frame.length - 5; length++)
      expect(() => decodeFrame(frame.subarray(0, length), { bytes: bytes.length })).toThrow(FrameError);
  });

  it('is refused if any bit is flipped', () => {
    const frame = encodeFrameSync(bytes);
    const digest = digestOf(frame);
    for (let index = 0; index < frame.length; index++) {
      const flipped = Buffer.from(frame);
      flipped.writeUInt8(flipped.readUInt8(index) ^ 1, index);
      expect(() => decodeFrame(flipped, { bytes: bytes.length, digest })).toThrow(/digest differs/);
    }
  });

  it.each([bytes.length - 1, bytes.length + 1, 0])('is refused if its decoded length is not %i', (promised) => {
    expect(() => decodeFrame(encodeFrameSync(bytes), { bytes: promised })).toThrow(FrameError);
  });

  it('is not decoded beyond the maximum length', () => {
    expect(decodeFrameUpTo(encodeFrameSync(bytes), bytes.length)).toEqual(bytes);
    expect(() => decodeFrameUpTo(encodeFrameSync(bytes), bytes.length - 1)).toThrow(FrameError);
  });
});

describe('a skippable frame', () => {
  it('returns its payload', () => {
    fc.assert(
      fc.property(anyBytes, (payload) => {
        const frame = skippableFrame(payload);
        expect(frame.length).toBe(payload.length + SKIPPABLE_OVERHEAD);
        expect(isSkippableMagic(frame.readUInt32LE(0))).toBe(true);
        expect(skippablePayload(frame)).toEqual(Buffer.from(payload));
      }),
    );
  });

  it('is skipped by a decoder of the whole stream', () => {
    expect(zstdDecompressSync(Buffer.concat([encodeFrameSync(bytes), skippableFrame(bytes)]))).toEqual(bytes);
  });

  it('is refused if it is truncated, has trailing bytes, or is an ordinary frame', () => {
    const frame = skippableFrame(bytes);
    for (let length = 0; length < frame.length; length++)
      expect(() => skippablePayload(frame.subarray(0, length))).toThrow(FrameError);
    expect(() => skippablePayload(Buffer.concat([frame, frame]))).toThrow(FrameError);
    expect(() => skippablePayload(encodeFrameSync(bytes))).toThrow(FrameError);
  });

  it.each([0x184d2a50, 0x184d2a5f])('accepts the 16 reserved magic numbers (%i)', (magic) => {
    expect(isSkippableMagic(magic)).toBe(true);
  });

  it.each([0x184d2a4f, 0x184d2a60, 0xfd2fb528])('refuses other magic numbers (%i)', (magic) => {
    expect(isSkippableMagic(magic)).toBe(false);
  });
});
