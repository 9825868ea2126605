import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFaithful } from '../../../../../shared/processing/outcome/encode/result-json.ts';

const write = (value: unknown): string => toFaithful(['result'], value).json;

class Point {
  x = 1;
}
class Money {
  readonly #cents: unknown;
  constructor(cents: unknown) {
    this.#cents = cents;
  }
  toJSON(): unknown {
    return { cents: this.#cents };
  }
}
const sparse = [1, 2, 3];
delete sparse[1];

describe('a result', () => {
  it.each([
    ['undefined as a property', { a: 1, b: undefined }, '{"a":1}'],
    ['a Date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['an instance with toJSON', [new Money(7)], '[{"cents":7}]'],
    ['a plain object with toJSON', { big: 1n, toJSON: () => 'x' }, '"x"'],
    ['no prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['an object of another realm', runInNewContext('({ a: [1] })'), '{"a":[1]}'],
    ['minus zero', -0, '0'],
    ['a pair of surrogates', '😀', '"😀"'],
    ['an escape that only looks like a surrogate', '\\ud800', '"\\\\ud800"'],
    [
      'such an escape beside other values',
      [1, null, { at: new Date(0), text: '\\ud800' }],
      '[1,null,{"at":"1970-01-01T00:00:00.000Z","text":"\\\\ud800"}]',
    ],
    ['200 levels', JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`), `${'['.repeat(200)}${']'.repeat(200)}`],
  ])('may have %s', (_, value, json) => {
    expect(write(value)).toBe(json);
  });

  it.each([
    [{ totals: [0, 1, 2, { amount: Number.NaN }] }, 'result.totals[3].amount is NaN'],
    [Number.NEGATIVE_INFINITY, 'result is -Infinity'],
    [{ a: { b: 1n } }, 'result.a.b is a bigint'],
    [{ 'a b': () => 1 }, 'result["a b"] is a function'],
    [[Symbol('s')], 'result[0] is a symbol'],
    [[1, undefined], 'result[1] is undefined'],
    [sparse, 'result[1] is undefined'],
    [undefined, 'result is undefined'],
    [{ by: new Map() }, 'result.by is an instance of Map, which has no toJSON'],
    [[new Set([1])], 'result[0] is an instance of Set, which has no toJSON'],
    [{ at: new Point() }, 'result.at is an instance of Point, which has no toJSON'],
    [{ at: new (class {})() }, 'result.at is an instance of an unnamed class, which has no toJSON'],
    [{ error: new Error('x') }, 'result.error is an instance of Error, which has no toJSON'],
    [{ bytes: new Uint8Array(2) }, 'result.bytes is an instance of Uint8Array, which has no toJSON'],
    [{ at: new Date(Number.NaN) }, 'result.at is an invalid Date'],
    [{ price: new Money(Number.NaN) }, 'result.price.cents is NaN'],
    [{ text: 'a\ud800' }, 'result.text has a lone surrogate'],
    [[{ '\udfff': 1 }], 'result[0]["\\udfff"] has a lone surrogate in its name'],
  ])('is refused with its path: %#', (value, message) => {
    expect(() => write(value)).toThrow(new TypeError(message));
  });

  it('is refused when it is nested too deeply or has a cycle', () => {
    const ring: Record<string, unknown> = { many: [1, {}] };
    ring.ring = ring;
    expect(() => write(ring)).toThrow('circular');
    for (const levels of [201, 100_000]) {
      let deep: unknown = 1;
      for (let i = 0; i < levels; i++) deep = { inner: deep };
      expect(() => write(deep)).toThrow(`result${'.inner'.repeat(19)}… is nested over 200 levels deep`);
    }
  });

  it('fails with the error of its own code', () => {
    const broken = {
      get price() {
        throw new RangeError('no price');
      },
    };
    expect(() => write(broken)).toThrow(new RangeError('no price'));
  });

  it('that is plain JSON is encoded as by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(write(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('is read back as it was written, without undefined properties', () => {
    const values = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withBigInt: true,
      withSparseArray: true,
    });
    fc.assert(
      fc.property(values, (value) => {
        let json: string;
        try {
          json = write(value);
        } catch {
          return;
        }
        expect(JSON.parse(json)).toEqual(asJson(value));
      }),
    );
  });
});

/** The changes that JSON may make to a value. */
function asJson(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, asJson(inner)]));
}
