import { describe, expect, it } from 'vitest';
import { FrameError } from '../../../shared/contract/errors.ts';
import { encodeFrameSync, skippableFrame } from '../../../shared/contract/frame.ts';
import { reportBlobName } from '../../../shared/contract/names.ts';
import { readReport } from '../../helpers/data/read-report.ts';
import { memoryBlobs } from '../../helpers/fakes/memory-blobs.ts';

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

/** Reads a report of these bytes. */
function readBytes(bytes: Buffer): ReturnType<typeof readReport> {
  const { container, put } = memoryBlobs();
  put('reports', reportBlobName('b', 1), bytes);
  return readReport(container('reports'), 'b', 1);
}

describe('openReport', () => {
  it('reads header and lines', async () => {
    expect(await readBytes(stored(header, frame))).toEqual({ header, lines });
  });

  it('reads a report without a line', async () => {
    const empty = { ...header, rows: 0 };
    expect(await readBytes(stored(empty, encodeFrameSync(Buffer.alloc(0))))).toEqual({ header: empty, lines: [] });
  });

  it('finds none in an empty container', async () => {
    expect(await readReport(memoryBlobs().container('reports'), 'b', 1)).toBeUndefined();
  });

  it.each([
    ['a wrong number of lines', stored({ ...header, rows: 3 }, frame)],
    ['a truncated frame', stored(header, frame.subarray(0, frame.length - 4))],
    ['no header', Buffer.from(frame)],
    ['nothing', Buffer.alloc(0)],
    ['something else behind the header', stored(header, Buffer.from('nothing of that kind'))],
  ])('refuses %s', async (_what, bytes) => {
    await expect(readBytes(bytes)).rejects.toThrow(FrameError);
  });
});
