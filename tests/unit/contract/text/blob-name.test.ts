import { expect, test } from 'vitest';
import { MalformedMessageError } from '../../../../shared/contract/errors.ts';
import { readReference } from '../../../../shared/contract/reference.ts';
import { blobNameFault, isBlobName } from '../../../../shared/contract/text/blob-name.ts';
import { BAD_NAMES } from '../../../helpers/data/bad-names.ts';
import { referenceOf } from '../../../helpers/data/factories.ts';

test.each(BAD_NAMES)('%j is not a blob name', (name) => {
  expect(isBlobName(name)).toBe(false);
});

test.each([
  'a.jpg',
  '2026/01/ü 😀.png',
  '...',
  'a..b/c.',
  'x'.repeat(1_024),
  'https%3A%2F%2Fexample.com%2Fa',
  '50%25?#&=+.csv',
])('%j is a blob name', (name) => {
  expect(blobNameFault(name)).toBeUndefined();
});

test.each(BAD_NAMES)('a reference to blob %j is malformed', (blob) => {
  expect(() => readReference(JSON.stringify({ ...referenceOf(), blob }))).toThrow(MalformedMessageError);
});
