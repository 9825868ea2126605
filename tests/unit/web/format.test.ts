import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../shared/contract/text/exact-json.ts';
import { cellNumber, columnsOf, numericColumns, sortRows } from '../../../web/batch/report/report-rows.ts';
import {
  formatBytes,
  formatClock,
  formatDuration,
  formatName,
  formatPercent,
  formatTime,
  formatUsd,
  plain,
} from '../../../web/format.ts';

describe('the texts of the dashboard', () => {
  it.each([
    [420, '420 ms'],
    [3_240, '3.2 s'],
    [59_600, '1 min'],
    [250_000, '4 min 10 s'],
    [7_500_000, '2 h 5 min'],
    [180_000_000, '2 d 2 h'],
  ])('has %s ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it.each([
    [0, '0 %'],
    [0.00001, '< 0.1 %'],
    [0.0667, '6.7 %'],
    [0.99999, '99.9 %'],
    [0.9979, '99.7 %'],
    [1, '100 %'],
  ])('has the share %s as %s: a share below 1 is never 100 %%', (share, text) =>
    expect(formatPercent(share)).toBe(text),
  );

  it.each([
    [0, '$0'],
    [7.2, '$7.20'],
    [0.2, '$0.20'],
    [0.000_24, '$0.00024'],
    [1e-9, '< $0.0000001'],
  ])('has %s dollars as %s', (usd, text) => expect(formatUsd(usd)).toBe(text));

  it('puts another currency after the amount', () => {
    expect([0.2, 1e-9].map((amount) => formatUsd(amount, 'EUR'))).toEqual(['0.20 EUR', '< 0.0000001 EUR']);
  });

  it('has times in UTC, and says so', () => {
    expect(formatClock('2026-03-01T23:30:05+02:00')).toBe('21:30:05 UTC');
    expect(formatTime('2026-03-01T23:30:05-02:00')).toBe('2 Mar, 01:30 UTC');
  });

  it('shows bidirectional and invisible characters as their code points', () => {
    expect(plain('invoice\u202Efdp.exe')).toBe('invoice[U+202E]fdp.exe');
    expect(plain('a\u0000b\u200fc')).toBe('a[U+0000]b[U+200F]c');
    expect(plain('Größe, 税, \u05d0')).toBe('Größe, 税, \u05d0');
  });

  it('has bytes and names', () => {
    expect([formatBytes(512), formatBytes(2_340), formatBytes(24_000_000)]).toEqual(['512 B', '2.3 kB', '24 MB']);
    expect(formatName('completedWithDeadLetters')).toBe('Completed with dead letters');
  });
});

describe('an item that is corrected', () => {
  it('keeps every digit of its numbers, if the engine supports it', () => {
    const text = '{"id":12345678901234567890,"price":0.10,"n":1}';
    expect(JSON.stringify(parseExact(text))).toBe(text);
  });
});

describe('a report', () => {
  const rows = [
    { key: 'a', value: { lines: 2, gross: '9.50', note: 'x' } },
    { key: 'b', value: { lines: 10, gross: '-100.00', note: '7' } },
  ];
  it('has its columns, and knows which are numbers', () => {
    expect(columnsOf(rows)).toEqual(['lines', 'gross', 'note']);
    expect(numericColumns(rows, columnsOf(rows))).toEqual(['lines', 'gross']);
    expect(columnsOf([{ key: 'a', value: 3 }])).toEqual(['value']);
    expect(cellNumber('12 EUR')).toBeNaN();
  });

  it('is sorted by number, not by text', () => {
    expect(sortRows(rows, 'lines').map(({ key }) => key)).toEqual(['b', 'a']);
    expect(sortRows(rows, 'gross').map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
