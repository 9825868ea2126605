import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { skippableFrame } from '../../../../shared/contract/frame.ts';
import type { UploadEncoding } from '../../../../shared/contract/upload-kinds.ts';
import { decodeUpload } from '../../../../shared/intake/parse/decode-upload.ts';
import { byteByByte, collect, collectText, cut, offsets, problemOf } from '../uploads.ts';

const limits = { maxBodyBytes: 1_000_000, maxDecodedBytes: 1_000_000 };
const text = Array.from({ length: 500 }, (_, index) => `{"item":${index}}\n`).join('');
const more = 'another one\n';
const skippable = skippableFrame(Buffer.from('not for you'));

const coded: [name: string, encoding: UploadEncoding, bytes: Buffer, expected: string][] = [
  ['identity', 'identity', Buffer.from(text), text],
  ['gzip', 'gzip', gzipSync(text), text],
  ['gzip with several members', 'gzip', Buffer.concat([gzipSync(text), gzipSync(''), gzipSync(more)]), text + more],
  ['deflate', 'deflate', deflateSync(text), text],
  ['deflate without the zlib wrapper', 'deflate', deflateRawSync(text), text],
  ['br', 'br', brotliCompressSync(text), text],
  ['zstd', 'zstd', zstdCompressSync(text), text],
  ['zstd with a checksum', 'zstd', zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }), text],
  [
    'zstd with several frames',
    'zstd',
    Buffer.concat([zstdCompressSync(text), zstdCompressSync(''), zstdCompressSync(more)]),
    text + more,
  ],
  [
    'zstd with skippable frames',
    'zstd',
    Buffer.concat([skippable, zstdCompressSync(text), skippable, zstdCompressSync(more), skippable]),
    text + more,
  ],
  [
    'zstd with an empty skippable frame',
    'zstd',
    Buffer.concat([skippableFrame(Buffer.alloc(0)), zstdCompressSync(text)]),
    text,
  ],
  ['zstd with blocks that repeat one byte', 'zstd', zstdCompressSync('x'.repeat(400_000)), 'x'.repeat(400_000)],
];
const encodings = coded.filter(([name, encoding]) => name === encoding && encoding !== 'identity');

const later = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('decodeUpload', () => {
  it.each(coded)('decodes %s, also byte by byte', async (_, encoding, bytes, expected) => {
    expect(await collectText(decodeUpload(cut(bytes), { encoding, limits }))).toBe(expected);
    expect(await collectText(decodeUpload(byteByByte(bytes), { encoding, limits }))).toBe(expected);
  });

  it('decodes the same for any split of the body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...coded), offsets, async ([, encoding, bytes, expected], at) => {
        expect(await collectText(decodeUpload(cut(bytes, at), { encoding, limits }))).toBe(expected);
      }),
    );
  });

  it.each(encodings)('refuses %s that is truncated at any byte', async (_, encoding, bytes) => {
    for (const length of [1, 2, 5, 9, bytes.length >> 1, bytes.length - 5, bytes.length - 1])
      for (const source of [cut, byteByByte])
        expect([
          length,
          await problemOf(decodeUpload(source(bytes.subarray(0, length)), { encoding, limits })),
        ]).toMatchObject([length, { type: 'malformed-encoding' }]);
  });

  it('refuses a second zstd frame that is truncated at any byte', async () => {
    const first = zstdCompressSync(text);
    const second = zstdCompressSync(more);
    for (let length = 1; length < second.length; length++) {
      const body = Buffer.concat([first, second.subarray(0, length)]);
      expect(await problemOf(decodeUpload(cut(body), { encoding: 'zstd', limits }))).toMatchObject({
        type: 'malformed-encoding',
      });
    }
  });

  it('refuses a truncated skippable frame', async () => {
    const body = Buffer.concat([zstdCompressSync(text), skippable.subarray(0, -1)]);
    expect(await problemOf(decodeUpload(cut(body), { encoding: 'zstd', limits }))).toMatchObject({
      type: 'malformed-encoding',
    });
  });

  it.each(encodings)('refuses data after the end of %s', async (_, encoding, bytes) => {
    for (const garbage of ['x', '\0', '\0\0x', 'garbage of some length', '\u0028'])
      for (const source of [cut, byteByByte]) {
        const body = Buffer.concat([bytes, Buffer.from(garbage)]);
        expect([garbage, await problemOf(decodeUpload(source(body), { encoding, limits }))]).toMatchObject([
          garbage,
          { type: 'malformed-encoding' },
        ]);
      }
  });

  it.each(encodings)('refuses data that is not %s', async (_, encoding) => {
    const body = cut('{"a":"plain text, but declared as compressed"}\n');
    expect(await problemOf(decodeUpload(body, { encoding, limits }))).toMatchObject({ type: 'malformed-encoding' });
  });

  it.each(['gzip', 'zstd'] as const)('refuses %s with a flipped bit', async (encoding) => {
    const params = { [constants.ZSTD_c_checksumFlag]: 1 };
    const bytes = encoding === 'gzip' ? gzipSync(text) : zstdCompressSync(text, { params });
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0x10, bytes.length >> 1);
    expect(await problemOf(decodeUpload(cut(bytes), { encoding, limits }))).toMatchObject({
      type: 'malformed-encoding',
    });
  });

  it.each(['identity', ...encodings.map(([name]) => name)] as UploadEncoding[])(
    'decodes an empty %s body to nothing',
    async (encoding) => {
      expect(await collect(decodeUpload(cut(''), { encoding, limits }))).toEqual([]);
    },
  );

  it.each(encodings)('stops a decompression bomb in %s early', async (_, encoding) => {
    const zeros = Buffer.alloc(50_000_000);
    const bomb = {
      gzip: gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
      identity: () => zeros,
    };
    let largest = 0;
    const reading = (async function* () {
      for await (const piece of decodeUpload(cut(bomb[encoding](zeros)), { encoding, limits })) {
        largest += piece.length;
        yield piece;
      }
    })();
    expect(await problemOf(reading)).toMatchObject({
      type: 'too-large',
      detail: expect.stringContaining('raise SLUICE_MAX_DECODED_BYTES'),
    });
    expect(largest).toBeLessThanOrEqual(limits.maxDecodedBytes);
  });

  it('stops reading a body over its limit, for any decoded size', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (; ; given += 1_000) yield Buffer.alloc(1_000);
    }
    const small = { maxBodyBytes: 10_000, maxDecodedBytes: 1_000_000 };
    expect(await problemOf(decodeUpload(endless(), { encoding: 'identity', limits: small }))).toMatchObject({
      type: 'body-too-large',
      detail: expect.stringContaining('inbox'),
    });
    expect(given).toBeLessThanOrEqual(10_000);
  });

  it('accepts a body of exactly the maximum size', async () => {
    const exact = { maxBodyBytes: 10, maxDecodedBytes: 10 };
    expect(await collectText(decodeUpload(cut('0123456789'), { encoding: 'identity', limits: exact }))).toBe(
      '0123456789',
    );
  });

  const copies = (frame: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => frame));

  it('refuses over 4,096 zstd frames that are smaller than 1 KiB on average, before it decodes the rest', async () => {
    const tiny = zstdCompressSync('x');
    const large = zstdCompressSync(Buffer.from(Array.from({ length: 1_100 }, (_, index) => (index * index) % 251)));
    const read = (body: Buffer) => decodeUpload(cut(body), { encoding: 'zstd', limits });

    expect((await collectText(read(copies(tiny, 4_096)))).length).toBe(4_096);
    expect(await problemOf(read(copies(tiny, 40_000)))).toMatchObject({
      type: 'too-large',
      detail: expect.stringMatching(/are 4\d{3} zstd frames: .* Compress it as one frame/),
    });
    expect(await problemOf(read(Buffer.concat([copies(tiny, 4_096), large, tiny])))).toBeUndefined();
  });

  it('does not decode skippable frames', async () => {
    const frames = copies(skippableFrame(Buffer.alloc(0)), 20_000);
    const body = Buffer.concat([frames, zstdCompressSync('x'), frames]);
    expect(
      await collectText(decodeUpload(cut(body), { encoding: 'zstd', limits: { ...limits, maxBodyBytes: 1e6 } })),
    ).toBe('x');
    const empty = decodeUpload(cut(frames), { encoding: 'zstd', limits: { ...limits, maxBodyBytes: 1e6 } });
    expect(await collectText(empty)).toBe('');
  });

  it('says how to compress if the window of zstd is too large', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 25, [constants.ZSTD_c_contentSizeFlag]: 0 };
    // Without a known size, the encoder declares the whole window.
    const frame = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x78]),
      zstdCompressSync('x', { params }).subarray(6),
    ]);
    expect(await problemOf(decodeUpload(cut(frame), { encoding: 'zstd', limits }))).toMatchObject({
      type: 'too-large',
      detail: expect.stringContaining('--long'),
    });
  });

  it.each(coded)('rethrows the error of an interrupted %s body', async (_, encoding, bytes) => {
    const gone = new Error('The client went away.');
    async function* broken(): AsyncGenerator<Buffer> {
      yield bytes.subarray(0, bytes.length >> 1);
      throw gone;
    }
    await expect(collect(decodeUpload(broken(), { encoding, limits }))).rejects.toBe(gone);
  });

  it.each(coded)('closes a %s body when its reader stops', async (_, encoding, bytes) => {
    let closed = false;
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (; ; await later()) yield bytes;
      } finally {
        closed = true;
      }
    }
    for await (const _piece of decodeUpload(endless(), { encoding, limits })) break;
    for (let turn = 0; turn < 5; turn++) await later();
    expect(closed).toBe(true);
  });

  it('reads ahead only up to its buffers while the decoded data is not consumed', async () => {
    const member = gzipSync(Buffer.alloc(100_000, 'x'));
    let given = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (; ; given++) yield member;
    }
    const roomy = { maxBodyBytes: 1e9, maxDecodedBytes: 1e9 };
    const reading = decodeUpload(endless(), { encoding: 'gzip', limits: roomy });
    await reading.next();
    for (let turn = 0; turn < 200; turn++) await later();
    expect(given * member.length).toBeLessThan(300_000);
    await reading.return(undefined);
  });
});
