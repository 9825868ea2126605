import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResultLines } from '../../../../../shared/processing/outcome/encode/result-lines.ts';

const anyLines = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), { maxLength: 60 });

/** Results with the given texts, added in the order of `slots`. */
function written(texts: readonly (string | undefined)[], slots: readonly number[]): ResultLines {
  const lines = new ResultLines(texts.length);
  for (const slot of slots) {
    const text = texts[slot];
    if (text !== undefined) lines.add(slot, text);
  }
  return lines;
}

const joined = (texts: readonly (string | undefined)[]): Buffer =>
  Buffer.from(texts.map((text) => (text === undefined ? '' : `${text}\n`)).join(''));

describe('the result lines of a run', () => {
  it('are in the order of the items, whichever ended first, and omit items without a result', () => {
    const some = fc.array(fc.option(fc.json(), { nil: undefined }), { maxLength: 40 });
    const shuffled = some.chain((texts) =>
      fc.tuple(fc.constant(texts), fc.shuffledSubarray([...texts.keys()], { minLength: texts.length })),
    );
    fc.assert(
      fc.property(shuffled, ([texts, slots]) => {
        const lines = written(texts, slots);
        expect(lines.inOrder()).toEqual(joined(texts));
        expect(lines.items).toBe(texts.filter((text) => text !== undefined).length);
        for (const [slot, text] of texts.entries()) {
          expect(lines.has(slot)).toBe(text !== undefined);
          expect(lines.at(slot).toString()).toBe(text ?? '');
        }
      }),
    );
  });

  it('are the bytes of all lines as one text', () => {
    fc.assert(
      fc.property(anyLines, (texts) => {
        expect(written(texts, [...texts.keys()]).inOrder()).toEqual(joined(texts));
      }),
    );
  });

  it('grow beyond their first capacity', () => {
    const texts = [...Array.from({ length: 300 }, (_, n) => 'ü'.repeat(n * 7 + 1)), '€'.repeat(1_000_000)];
    expect(
      written(texts, [...texts.keys()])
        .inOrder()
        .equals(joined(texts)),
    ).toBe(true);
  });

  it('are the same if they exceed the size that is kept as bytes', () => {
    const texts = Array.from({ length: 40 }, (_, n) => `${n}${'x'.repeat(500_000)}`);
    const lines = written(texts, [...texts.keys()].reverse());
    expect(lines.at(39).toString().slice(0, 3)).toBe('39x');
    expect(lines.at(0).toString().slice(0, 3)).toBe('0xx');
    expect(lines.inOrder().equals(joined(texts))).toBe(true);
  });

  it('of a running chunk do not change when another run has released its memory to a third one', () => {
    const first = written(['1', '2'], [0, 1]);
    const second = written(['33', '44'], [0, 1]);
    first.release();
    const third = written(['555', '666'], [0, 1]);
    expect(second.inOrder().toString()).toBe('33\n44\n');
    expect(third.inOrder().toString()).toBe('555\n666\n');
  });
});
