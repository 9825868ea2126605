import { expect, it } from 'vitest';
import { blobProperties } from '../../../shared/storage/blob-reads.ts';

const failing = (statusCode: number) => ({
  getProperties: () => Promise.reject(Object.assign(new Error('refused'), { statusCode })),
});

it('returns undefined only for a blob that does not exist', async () => {
  expect(await blobProperties(failing(404))).toBeUndefined();
  await expect(blobProperties(failing(403))).rejects.toThrow('refused');
});
