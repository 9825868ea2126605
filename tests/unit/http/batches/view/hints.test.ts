import { describe, expect, it } from 'vitest';
import { deadLetterHint, suspectHint } from '../../../../../shared/http/batches/view/hints.ts';

const hintOf = (row: Partial<Parameters<typeof suspectHint>[0]>) => suspectHint({ workload: 'billing', ...row });
const csv = { delimiter: ',', columns: 7, cells: 'typed' } as const;

describe('suspectHint', () => {
  it('suspects the delimiter of a CSV upload that was read as one column', () => {
    const { hint, command } = hintOf({ fileName: 'usage.csv', csv: { ...csv, columns: 1, cells: 'text' } });
    expect(hint).toBe('The CSV was read as one column, with comma as the delimiter. Another delimiter may be correct.');
    expect(command).toBe('sluice try usage.csv --workload billing --delimiter semicolon');
    expect(hintOf({ csv: { ...csv, columns: 1, delimiter: ';' } }).command).toContain('--delimiter comma');
  });

  it('explains that cells are text if the schema provides no types', () => {
    expect(hintOf({ csv: { ...csv, cells: 'text' } })).toEqual({
      hint: expect.stringMatching(/^All cells of this CSV upload are text, because the schema/) as string,
      command: 'sluice try FILE --workload billing',
    });
  });

  it('suspects the names of columns otherwise', () => {
    const { hint, command } = hintOf({ csv });
    expect(hint).toContain('--rename');
    expect(command).toBe('sluice try FILE --workload billing');
  });

  it('mentions no columns for other formats, and quotes a file name for the shell', () => {
    expect(hintOf({ fileName: "it's $HOME.ndjson" }).command).toBe(
      "sluice try 'it'\\''s $HOME.ndjson' --workload billing",
    );
    expect(hintOf({ fileName: '--all.ndjson' }).command).toContain('try ./--all.ndjson ');
  });
});

describe('deadLetterHint', () => {
  it('is present for dead letters of a CSV upload whose cells are text', () => {
    expect(deadLetterHint({ dead: 1, csv: { ...csv, cells: 'text' } })).toContain('are text');
    expect(deadLetterHint({ dead: 0, csv: { ...csv, cells: 'text' } })).toBeUndefined();
    expect(deadLetterHint({ dead: 1, csv })).toBeUndefined();
    expect(deadLetterHint({ dead: 1, csv: undefined })).toBeUndefined();
  });
});
