import { expect, it } from 'vitest';
import { blobNameFault } from '../../../../shared/contract/text/blob-name.ts';
import { readReason, reasonName } from '../../../../shared/intake/inbox/rejection-reason.ts';
import { memoryBlobs } from '../../../helpers/fakes/memory-blobs.ts';

it.each([
  ['echo/a.ndjson', 'echo/a.ndjson.reason.json'],
  ['x'.repeat(1_012), `${'x'.repeat(1_012)}.reason.json`],
])('the name of a reason is the name of the file with a suffix', (name, expected) => {
  expect(reasonName(name)).toBe(expected);
});

it('truncates a name that is too long for the suffix, and keeps it unique', () => {
  const names = ['x'.repeat(1_013), `${'x'.repeat(1_012)}y`, '😀'.repeat(512), `é${'😀'.repeat(511)}`];
  const reasons = names.map(reasonName);

  expect(reasons.map(blobNameFault)).toEqual(names.map(() => undefined));
  expect(new Set(reasons).size).toBe(names.length);
  for (const reason of reasons) expect(reason).toMatch(/\.reason\.json$/);
});

it.each([
  ['is not JSON', 'see the mail'],
  ['is not an object', 'null'],
  ['has another form', '{"type":"too-large"}'],
  ['is missing', undefined],
])('ignores a reason that %s', async (_what, text) => {
  const { container, put } = memoryBlobs();
  if (text !== undefined) put('inbox-rejected', 'a.reason.json', text);
  expect(await readReason(container('inbox-rejected').getBlobClient('a.reason.json'))).toBeUndefined();
});
