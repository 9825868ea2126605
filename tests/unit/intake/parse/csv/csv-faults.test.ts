import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../../../../shared/intake/parse/csv/parse-csv.ts';
import { byteByByte, cut, problemOf, recordsOf } from '../../uploads.ts';

describe('an open quote', () => {
  const long = { maxRecordBytes: 1_000 };

  it('is reported with the position where it opens and the length read, not as a long row', async () => {
    const csv = `a,b\n1,2\n3,"${'x\n'.repeat(40_000)}`;
    for (const source of [cut, byteByByte])
      expect(await problemOf(parseCsv(source(csv), long))).toMatchObject({
        type: 'malformed-record',
        detail: 'Line 3, column 3: The quote that opens here is not closed within the 1000 bytes that a row may have.',
      });
  });

  it('is not reported for a quoted field of many lines', async () => {
    const csv = `a;b\n1;"${'x\n'.repeat(300)}"\n`;
    expect(await recordsOf(parseCsv(cut(csv), long))).toHaveLength(1);
    expect(await problemOf(parseCsv(cut(`a;b\n1;${'x'.repeat(1_000)}\n`), long))).toMatchObject({ type: 'too-large' });
  });
});
