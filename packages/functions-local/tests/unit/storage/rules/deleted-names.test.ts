import { expect, test } from 'vitest';
import { createDeletedNames } from '../../../../src/storage/rules/deleted-names.ts';
import { requestOf } from '../requests.ts';

const deletion = (name: string) => requestOf('queue', { method: 'DELETE', path: name });
const creation = (name: string) => requestOf('queue', { path: name });

test('the name of a deleted queue is free after 30 s', () => {
  const names = createDeletedNames();
  names.done(deletion('work'), 0);
  expect(names.refusal(creation('work'), 29_999)).toMatchObject({ code: 'QueueBeingDeleted' });
  expect(names.refusal(creation('work'), 30_000)).toBeUndefined();
});

test('an expired deletion is dropped at the next deletion of any name', () => {
  const names = createDeletedNames();
  names.done(deletion('first'), 0);
  names.done(deletion('second'), 30_000);
  // A client whose clock is behind would still be refused the first name if it were kept.
  expect(names.refusal(creation('first'), 1_000)).toBeUndefined();
  expect(names.refusal(creation('second'), 31_000)).toMatchObject({ code: 'QueueBeingDeleted' });
});
