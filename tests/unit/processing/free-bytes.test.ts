import { expect, test } from 'vitest';
import { freeBytes } from '../../../shared/processing/free-bytes.ts';

test('the memory of an array is freed immediately', () => {
  const bytes = new Uint8Array(1_000_000);

  freeBytes(bytes);

  expect([bytes.length, bytes.buffer.detached]).toEqual([0, true]);
  expect(() => freeBytes(bytes)).not.toThrow();
});

test('neither a slice of a larger buffer nor shared memory is freed', () => {
  const slice = new Uint8Array(new ArrayBuffer(10), 2, 4);
  const shared = new Uint8Array(new SharedArrayBuffer(4));

  for (const bytes of [slice, shared]) freeBytes(bytes);

  expect([slice.length, slice.buffer.byteLength, shared.length]).toEqual([4, 10, 4]);
});
