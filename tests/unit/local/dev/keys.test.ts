import { expect, it } from 'vitest';
import { readKeys } from '../../../../local/dev/keys.ts';

it('reads each key of a terminal, including Ctrl-C', () => {
  expect(readKeys('rxA\u0003', true)).toEqual(['run', 'auto', 'quit']);
});

it('reads lines of other input by their first letter', () => {
  expect(readKeys('r\nhelp\n\n q\nnothing\n', false)).toEqual(['run', 'help', 'quit']);
});
