import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from '../../../../shared/intake/parse/json-fault.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('findJsonFault', () => {
  it.each([
    ['', 0, 'Expected a value, got the end.'],
    ['{"a":1', 6, 'Expected "," or a closing bracket, got the end.'],
    ['{a:1}', 1, 'Expected a property name in double quotes or "}", got "a".'],
    ['{"a":1,}', 7, 'Expected a property name in double quotes, got "}".'],
    ['{"a" 1}', 5, 'Expected ":", got "1".'],
    ['[1,]', 3, 'Expected a value, got "]".'],
    ['[1}', 2, 'Expected "," or a closing bracket, got "}".'],
    ['1 2', 2, 'Expected the end of the record, got "2".'],
    ['01', 1, 'Expected the end of the record, got "1".'],
    ['1.', 1, 'Expected the end of the record, got ".".'],
    ['-', 0, 'Not a valid JSON number.'],
    ['[nul]', 1, 'Unknown word; JSON has true, false and null.'],
    ['"a\tb"', 2, 'Control character in a string; escape it.'],
    ['"a\\x"', 2, 'Bad escape in a string.'],
    ['"a', 2, 'Text ends inside a string.'],
    ["'a'", 0, 'Expected a value, got "\'".'],
    ['{"a":🐢}', 5, 'Expected a value, got "🐢".'],
  ])('finds the fault of %j at %d: %s', (text, offset, message) => {
    expect(findJsonFault(text)).toEqual({ offset, message });
  });

  it('finds a fault in exactly the texts that JSON.parse refuses', () => {
    const soup = fc.string({
      unit: fc.constantFrom(...'{}[]:,"\\-01.eE+ tuna\n', 'true', 'null', '"a"', '"b":', '[1,'),
    });
    fc.assert(
      fc.property(fc.oneof(soup, fc.json()), (text) => {
        expect(findJsonFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reports an offset within the text, and not before a valid prefix', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, at) => {
        const cutOff = text.slice(0, at % text.length);
        const fault = findJsonFault(cutOff);
        if (fault) expect(fault.offset).toBeLessThanOrEqual(cutOff.length);
      }),
    );
  });

  it('accepts any nesting depth', () => {
    expect(findJsonFault('['.repeat(200_000))).toMatchObject({ offset: 200_000 });
    expect(findJsonFault(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBeUndefined();
  });
});
