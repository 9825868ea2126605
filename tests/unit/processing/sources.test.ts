import { describe, expect, it } from 'vitest';
import { FrameError } from '../../../shared/contract/errors.ts';
import { itemJsonOf, itemOf, readSources, type Source, splitLines } from '../../../shared/processing/sources.ts';
import { chunkJob } from '../../helpers/data/chunks.ts';

const read = (lines: unknown[], overrides: Parameters<typeof chunkJob>[1] = {}) => {
  const { reference, frame } = chunkJob(lines, overrides);
  return [...readSources(reference, frame)];
};

describe('readSources', () => {
  it('numbers the items of a frame from its first item on', () => {
    const sources = read([{ id: 1 }, { id: 2 }]);
    expect(sources.map(({ line, index }) => [line, index])).toEqual([
      [0, 100],
      [1, 101],
    ]);
    expect(sources.map(itemOf)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('reads the part that skip and take specify', () => {
    const sources = read([0, 1, 2, 3, 4], { skip: 1, take: 3 });
    expect(sources.map(({ index, text }) => [index, text])).toEqual([
      [101, '1'],
      [102, '2'],
      [103, '3'],
    ]);
  });

  it('splits lines as in the decoded text, whatever they contain', () => {
    const texts = ['{"id":"é"}', '"\u{1f600}"', '"\u2028"', '1', '"\ufeff"'];
    const sources = read(texts);
    expect(sources.map(({ text }) => text)).toEqual(texts);
    expect(sources.map(itemOf)).toEqual([{ id: 'é' }, '\u{1f600}', '\u2028', 1, '\ufeff']);
  });

  it('returns items in any order, and those that were read stay valid when its memory is freed', () => {
    const { reference, frame } = chunkJob([{ id: 1 }, { id: 2 }, { id: 3 }], { skip: 1, take: 2 });
    const sources = readSources(reference, frame);
    const [last, first] = [sources.at(1), sources.at(0)];
    sources.release();
    expect([sources.length, sources.firstLine]).toEqual([2, 1]);
    expect([first, last].map(({ line, index, text }) => [line, index, text])).toEqual([
      [1, 101, '{"id":2}'],
      [2, 102, '{"id":3}'],
    ]);
  });

  it('separates items that must run again in a certain way from the others', () => {
    const retry = (index: number, rerun?: string) => ({ index, attempts: [], ...(rerun && { rerun }), item: index });
    const { reference, frame } = chunkJob([retry(3, 'alone'), retry(4), retry(5, 'careful'), retry(6, 'alone')], {
      kind: 'retries',
    });
    const sources = readSources(reference, frame);
    const indices = (list: Iterable<Source>): number[] => Array.from(list, ({ index }) => index);
    expect(indices(sources.marked('alone'))).toEqual([3, 6]);
    expect(indices(sources.marked('careful'))).toEqual([5]);
    expect(indices(sources.unmarked())).toEqual([4]);
    expect(indices(sources)).toEqual([3, 4, 5, 6]);
  });

  it('reads index and attempts of a retries frame from its lines', () => {
    const attempts = [{ at: '2026-01-01T00:00:00.000Z', error: { name: 'Error', message: 'boom' } }];
    const [source] = read([{ index: 7, attempts, item: { id: 1 } }], { kind: 'retries' });
    expect(source).toMatchObject({ line: 0, index: 7, attempts });
    expect(source && itemOf(source)).toEqual({ id: 1 });
  });

  it.each([
    ['fewer lines than promised', [1, 2], { items: 3 }],
    ['more lines than promised', [1, 2], { items: 1 }],
    ['a part beyond its end', [1, 2], { skip: 1, take: 2 }],
    ['another length', [1, 2], { bytes: 5 }],
    ['another digest', [1, 2], { digest: `sha256:${'0'.repeat(64)}` }],
    ['a retries line without index', [{ attempts: [], item: 1 }], { kind: 'retries' as const }],
    ['a retries line that is not JSON', ['{'], { kind: 'retries' as const }],
  ])('refuses a frame with %s', (_, lines, overrides) => {
    expect(() => read(lines, overrides)).toThrow(FrameError);
  });
});

describe('itemJsonOf', () => {
  it('keeps the text of an item unchanged, including numbers beyond double precision', () => {
    const [source] = read(['{"id": 12345678901234567890}']);
    expect(source && itemJsonOf(source)).toBe('{"id": 12345678901234567890}');
  });

  it.each([
    ['numbers beyond double precision', '{"id": 12345678901234567890.10}'],
    ['more levels than JSON.stringify accepts', `${'['.repeat(6_000)}${']'.repeat(6_000)}`],
    ['text that looks like the previous field', '{"a":1,"item":2}'],
  ])('keeps the text of an item that was tried before: %s', (_what, text) => {
    const attempts = [{ at: '2026-01-01T00:00:00.000Z', error: 'Error: {"a":1,"item":3}' }];
    const line = `${JSON.stringify({ index: 7, attempts }).slice(0, -1)},"item":${text}}`;
    const [source] = read([line], { kind: 'retries' });
    expect(source && itemJsonOf(source)).toBe(text);
  });

  it('is undefined for a line that is not JSON', () => {
    const [source] = read(['{"id":']);
    expect(source && itemJsonOf(source)).toBeUndefined();
  });
});

it('splitLines returns a last line without a newline, and no empty lines', () => {
  expect(splitLines('a\n\nb\nc')).toEqual(['a', 'b', 'c']);
  expect(splitLines('')).toEqual([]);
});
