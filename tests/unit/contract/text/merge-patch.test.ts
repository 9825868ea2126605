import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../shared/contract/text/exact-json.ts';
import { mergePatch, type Patch } from '../../../../shared/contract/text/merge-patch.ts';

const patched = (item: string, patch: string): string | undefined => mergePatch(item, parseExact(patch) as Patch);

describe('a merge patch', () => {
  // The examples of RFC 7396, appendix A, in which the patch is an object.
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('of %s and %s returns %s', (item, patch, expected) => expect(patched(item, patch)).toBe(expected));

  it.each([
    ['of the item', '{"n":1.10,"m":12345678901234567890}', '{"a":1}', '{"n":1.10,"m":12345678901234567890,"a":1}'],
    ['of the patch', '{"n":1}', '{"n":2.50}', '{"n":2.50}'],
    ['that it replaces', '{"n":2.50}', '{"n":{"a":1}}', '{"n":{"a":1}}'],
    ['within a list', '{}', '{"n":[1e2,{"m":0.10}]}', '{"n":[1e2,{"m":0.10}]}'],
  ])('keeps the digits of numbers %s', (_what, item, patch, expected) => expect(patched(item, patch)).toBe(expected));

  it('accepts members of any name', () => {
    expect(patched('{"__proto__":{"a":1},"b":2}', '{"__proto__":{"c":3},"constructor":4}')).toBe(
      '{"__proto__":{"a":1,"c":3},"b":2,"constructor":4}',
    );
  });
});
