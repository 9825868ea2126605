import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXCEPTIONS } from '../words/exceptions.ts';
import { findWords } from '../words/find-words.ts';

// Split, so that the check does not find its own examples.
const hard = (...parts: string[]): string => parts.join(' ');

test.each([
  hard('costs one operation', 'a chunk'),
  hard('the price sheet is', 'asked', 'once per', 'day'),
  hard('gives the message', 'back'),
  hard('waits for', 'ever'),
])('finds "%s", with its position', (text) => {
  expect(findWords(`fine\n${text}`)).toEqual([expect.objectContaining({ line: 2 })]);
});

test.each([
  'costs one operation per chunk',
  'once a minute',
  'see learn.microsoft.com/azure',
  'is asked for its name',
  'names one of a batch',
])('accepts "%s"', (text) => {
  expect(findWords(text)).toEqual([]);
});

test('every exception is still needed', () => {
  const unused = EXCEPTIONS.filter(
    ({ file, text }) =>
      !findWords(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')).some((found) => found.text === text),
  );
  expect(unused).toEqual([]);
});
