import { expect, it } from 'vitest';
import { reportTable } from '../../../../cli/text/report-text.ts';

it('a report is a table with one column per field', () => {
  const rows = [
    { key: 'a', value: { net: '1.00' } },
    { key: 'bb', value: { net: '12.00', lines: 2 } },
    { key: 'c', value: 7 },
  ];
  expect(reportTable(rows)).toEqual([
    '  key  net    lines  value',
    '  a     1.00',
    '  bb   12.00      2',
    '  c                      7',
  ]);
});
