import { describe, expect, it } from 'vitest';
import type { RevisionTimes } from '../../../../../shared/batches/batch-row.ts';
import { deadLetterHint, suspectHint } from '../../../../../shared/http/batches/view/hints.ts';

const hintOf = (row: Partial<Parameters<typeof suspectHint>[0]>) =>
  suspectHint({ workload: 'billing', earlier: [], revision: 0, revisionItems: 1_000, ...row });
const revision = (values: Pick<RevisionTimes, 'revision' | 'items'>): RevisionTimes => ({
  ...values,
  ...{ openedAt: '2026-01-01T00:00:00.000Z', deadlineAt: '2026-01-01T00:05:00.000Z' },
});
const csv = { delimiter: ',', columns: 7, cells: 'typed' } as const;

describe('suspectHint', () => {
  it('suspects the delimiter of a CSV upload that was read as one column', () => {
    const { hint, command } = hintOf({ fileName: 'usage.csv', csv: { ...csv, columns: 1, cells: 'text' } });
    expect(hint).toBe('The CSV was read as one column, with comma as the delimiter. Another delimiter may be correct.');
    expect(command).toBe('sluice try usage.csv --workload billing --delimiter semicolon');
    expect(hintOf({ csv: { ...csv, columns: 1, delimiter: ';' } }).command).toContain('--delimiter comma');
  });

  it('explains that cells are text if the schema provides no types', () => {
    expect(hintOf({ csv: { ...csv, cells: 'text' } })).toMatchObject({
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

describe('the verdict on a suspect batch', () => {
  const upload = revision({ revision: 0, items: 25_000 });
  it.each([
    ['of the items', { revisionItems: 1_000 }],
    ['of the first 1,000 items', { revisionItems: 25_000 }],
    ['of the redriven items', { earlier: [upload], revision: 1, revisionItems: 3 }],
    [
      'of the first 1,000 redriven items',
      {
        earlier: [upload, revision({ revision: 1, items: 1_001 }), revision({ revision: 2, items: 0 })],
        ...{ revision: 3, revisionItems: 2, discardReason: 'a test' },
      },
    ],
  ])('names the items %s that were judged', (which, row) => {
    expect(hintOf(row).verdict).toBe(`None ${which} is valid. The file or the schema is probably wrong.`);
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
