import { describe, expect, it } from 'vitest';
import { FrameError } from '../../../shared/contract/errors.ts';
import { encodeFrameSync, skippableFrame } from '../../../shared/contract/frame.ts';
import { parseReport } from '../../../shared/results/read-report.ts';

const header = {
  batch: 'b',
  revision: 1,
  counts: { accepted: 3, succeeded: 2, dead: 0, discarded: 1, cancelled: 0 },
  rows: 2,
  createdAt: '2026-01-01T00:00:00.000Z',
};
const lines = ['{"key":"a","value":1}', '{"key":"b","value":2}'];
const frame = encodeFrameSync(Buffer.from(`${lines.join('\n')}\n`));
const stored = (head: object, body: Uint8Array): Buffer =>
  Buffer.concat([skippableFrame(Buffer.from(JSON.stringify(head))), body]);

describe('parseReport', () => {
  it('reads header and lines', () => {
    expect(parseReport(stored(header, frame))).toEqual({ header, lines });
  });

  it('reads a report without a line', () => {
    const empty = { ...header, rows: 0 };
    expect(parseReport(stored(empty, encodeFrameSync(Buffer.alloc(0))))).toEqual({ header: empty, lines: [] });
  });

  it.each([
    ['a wrong number of lines', stored({ ...header, rows: 3 }, frame)],
    ['a truncated frame', stored(header, frame.subarray(0, frame.length - 4))],
    ['no header', Buffer.from(frame)],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s', (_what, bytes) => {
    expect(() => parseReport(bytes)).toThrow(FrameError);
  });
});
