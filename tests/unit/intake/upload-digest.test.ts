import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SEGMENT_BYTES, segmentStart, UploadDigest } from '../../../shared/intake/upload-digest.ts';

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const upload = Buffer.alloc(2 * SEGMENT_BYTES + 5, 'some text, ');
const segments = [0, 1, 2].map((index) => upload.subarray(index * SEGMENT_BYTES, (index + 1) * SEGMENT_BYTES));

function digestOf(bytes: Uint8Array, pieceBytes = 3_000_001): string {
  const digest = new UploadDigest();
  for (let start = 0; start < bytes.length; start += pieceBytes) digest.push(bytes.subarray(start, start + pieceBytes));
  return digest.end();
}

describe('UploadDigest', () => {
  it.each([0, 1, 100, SEGMENT_BYTES])('is SHA-256 of an upload of %i bytes', (length) => {
    const bytes = upload.subarray(0, length);
    expect(digestOf(bytes)).toBe(`sha256:${sha256(bytes).toString('hex')}`);
  });

  it('is SHA-256 of the SHA-256 values of the segments of a larger upload, for any split', () => {
    const expected = `sha256:${sha256(Buffer.concat(segments.map(sha256))).toString('hex')}`;
    for (const pieceBytes of [upload.length, SEGMENT_BYTES, 3_000_001])
      expect(digestOf(upload, pieceBytes)).toBe(expected);
    const whole = upload.subarray(0, 2 * SEGMENT_BYTES);
    const ofWhole = sha256(Buffer.concat(segments.slice(0, 2).map(sha256)));
    expect(digestOf(whole)).toBe(`sha256:${ofWhole.toString('hex')}`);
  });

  it.each([0, 1, SEGMENT_BYTES - 1, SEGMENT_BYTES, 2 * SEGMENT_BYTES, upload.length])(
    'continues from the segment before byte %i',
    (offset) => {
      const first = new UploadDigest();
      first.push(upload.subarray(0, upload.length - 1)); // Reads beyond the place from which another one continues.
      const second = new UploadDigest(first.segmentsBefore(offset));
      second.push(upload.subarray(segmentStart(offset)));
      expect(second.end()).toBe(digestOf(upload));
    },
  );

  it('differs with the format, and with options that change how CSV is read, in any order of the options', () => {
    const bytes = Buffer.from('a;b\n1;2\n');
    const as = (...reading: Parameters<UploadDigest['end']>): string => {
      const digest = new UploadDigest();
      digest.push(bytes);
      return digest.end(...reading);
    };
    const renamed = as('csv', { rename: { a: 'x', b: 'y' } });
    expect(as('csv', { rename: { b: 'y', a: 'x' } })).toBe(renamed);
    expect(as('json', { decimal: ',' })).toBe(as('json'));
    const csv = [as('csv'), renamed, as('csv', { delimiter: ';' }), as('csv', { decimal: ',' })];
    expect(new Set([as(), as('json'), ...csv]).size).toBe(6);
  });
});
