import { expect, it } from 'vitest';
import { blobSource } from '../../../../shared/intake/import/blob-source.ts';
import { memoryBlobs } from '../../../helpers/fakes/memory-blobs.ts';

it.each([
  ['another version', 'a.csv', { offset: 0, etag: '"0x7"' }, { name: 'SourceChangedError' }],
  ['a blob that ends before the offset', 'a.csv', { offset: 9 }, { name: 'SourceChangedError' }],
  ['a missing blob', 'b.csv', { offset: 0 }, { type: 'source-unreadable' }],
])('refuses %s', async (_what, name, place, expected) => {
  const { container, put } = memoryBlobs();
  put('uploads', 'a.csv', 'a,b\n1,2\n');
  const open = blobSource(container('uploads').getBlobClient(name));

  await expect(open(place, undefined)).rejects.toMatchObject(expected);
});
