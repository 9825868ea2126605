import { expect, test } from 'vitest';
import { lazily } from '../../shared/lazily.ts';

test.each([{ value: 'x' }, { value: undefined }])('creates %o once, at its first use', ({ value }) => {
  let made = 0;
  const get = lazily(() => {
    made += 1;
    return value;
  });
  expect(made).toBe(0);

  expect([get(), get()]).toEqual([value, value]);
  expect(made).toBe(1);
});
