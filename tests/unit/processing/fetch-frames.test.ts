import type { ContainerClient } from '@azure/storage-blob';
import { describe, expect, test } from 'vitest';
import { frameOf, planReads, readFrames, readRange } from '../../../shared/processing/fetch-frames.ts';
import { referenceOf, serviceError } from '../../helpers/data/factories.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const at = (offset: number, length: number, blob = 'a') => referenceOf({ blob, offset, length });

describe('reads', () => {
  test.each([
    ['neighbours, in any order', [at(100, 50), at(0, 100)], [[0, 150, 2]]],
    ['frames over a small gap', [at(0, 100), at(100 + 512 * KiB, 10)], [[0, 110 + 512 * KiB, 2]]],
    ['the same frame, requested twice', [at(0, 100), at(0, 100)], [[0, 100, 2]]],
  ])('join %s', (_what, references, expected) => {
    const ranges = planReads(references);

    expect(ranges.map(({ offset, length, references: of }) => [offset, length, of.length])).toEqual(expected);
  });

  test.each([
    ['frames of two blobs', [at(0, 100), at(100, 100, 'b')]],
    ['frames far from each other', [at(0, 100), at(101 + 512 * KiB, 10)]],
    ['more than 8 MiB', [at(0, 5 * MiB), at(5 * MiB, 5 * MiB)]],
  ])('keep %s apart', (_what, references) => {
    expect(planReads(references)).toHaveLength(2);
  });

  test('keep two containers apart, even if their blobs have the same name', () => {
    expect(planReads([at(0, 10), { ...at(10, 10), container: 'results' }])).toHaveLength(2);
  });
});

test('a frame is cut out of the range that was read for it', () => {
  const bytes = Buffer.from('0123456789');

  expect(frameOf(bytes, { offset: 100 }, at(103, 4)).toString()).toBe('3456');
});

test('frames that were read together are freed together', async () => {
  const body = Buffer.alloc(10_000, 1);
  const container = {
    getBlobClient: () => ({ downloadToBuffer: async () => Buffer.alloc(body.length, body) }),
  } as unknown as ContainerClient;
  const references = [at(0, 6_000), at(6_000, 4_000)];
  const { frames, free } = await readFrames(() => container, references);
  const lengths = () =>
    references.map((reference) => {
      const frame = frames.get(reference);
      return frame?.kind === 'read' && frame.bytes.length;
    });
  expect(lengths()).toEqual([6_000, 4_000]);

  free();

  expect(lengths()).toEqual([0, 0]);
});

test.each([
  ['does not exist', 404, undefined],
  ['ends before the range', 416, undefined],
])('a blob that %s returns nothing', async (_what, status, expected) => {
  expect(await readRange(failing(status), { container: 'payloads', blob: 'a', offset: 0, length: 1 })).toBe(expected);
});

test('the error of a service is not taken for a missing blob', async () => {
  await expect(readRange(failing(503), { container: 'payloads', blob: 'a', offset: 0, length: 1 })).rejects.toThrow(
    '503',
  );
});

const failing = (status: number): ContainerClient =>
  ({
    getBlobClient: () => ({ downloadToBuffer: () => Promise.reject(serviceError(status)) }),
  }) as unknown as ContainerClient;
