import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { problem, useUploadApp } from './upload-app.ts';

const app = useUploadApp();

describe('several files', () => {
  it('are found by pattern, each once and in order, and submitted as one batch per file', async () => {
    await app.write({ 'in/b.ndjson': '2', 'in/a.ndjson': '1', 'in/c.csv': '3', 'in/c.txt': 'no' });
    const { code, out } = await app.submit(['in/*.{ndjson,csv}', 'in/a.ndjson', '--json']);
    expect(code).toBe(EXIT.done);
    const { batches } = JSON.parse(out);
    expect(batches.map(({ file, id }: { file: string; id: string }) => [file, id])).toEqual([
      ['in/a.ndjson', 'batch-1'],
      ['in/b.ndjson', 'batch-2'],
      ['in/c.csv', 'batch-3'],
    ]);
    expect(batches[0]).toMatchObject({
      state: 'queued',
      isRepeat: false,
      idempotencyKey: expect.stringMatching(/^sha256-/),
    });
    expect(app.arrived.map(({ headers }) => headers['sluice-file-name']).sort()).toEqual([
      'a.ndjson',
      'b.ndjson',
      'c.csv',
    ]);
  });

  it('are printed as a table at the end, or as ids', async () => {
    await app.write({ 'a.ndjson': '1', 'b.ndjson': '2' });
    const table = await app.submit(['a.ndjson', 'b.ndjson']);
    expect(table.out).toMatch(
      /file +batch +items +dead +state\n +a.ndjson +batch-1 +10 +1 +queued\n +b.ndjson +batch-2/,
    );
    expect(table.err).toContain('a.ndjson: batch batch-1: queued\n');
    expect((await app.submit(['*.ndjson', '--quiet'])).out).toBe('batch-1\nbatch-2\n');
  });

  it('are submitted although one fails; the failed file is reported, and the worst exit code is returned', async () => {
    await app.write({ 'a.ndjson': '1', 'b.ndjson': 'x', 'c.ndjson': '3', 'd.ndjson': '4' });
    app.answers.x = problem('malformed-record', 400, { detail: 'Line 1, column 1: Odd.' });
    app.ends['batch-3'] = 'completedWithDeadLetters';
    const { code, out, err } = await app.submit(['a.ndjson', 'b.ndjson', 'c.ndjson', 'd.ndjson', '--wait', '--json']);
    expect(code).toBe(EXIT.refused);
    const { batches } = JSON.parse(out);
    expect(batches.map(({ state }: { state?: string }) => state)).toEqual([
      ...['completed', undefined, 'completedWithDeadLetters', 'completed'],
    ]);
    expect(batches[1]).toMatchObject({ file: 'b.ndjson', error: { exitCode: EXIT.refused } });
    const { error } = JSON.parse(err.trim().split('\n').at(-1) ?? '');
    expect(error.message).toBe(
      '1 of 4 files failed:\n  b.ndjson: Title (400 malformed-record)\n    Line 1, column 1: Odd.',
    );
    expect((await app.submit(['a.ndjson', 'c.ndjson', '--wait'])).code).toBe(EXIT.deadLetters);
  });

  it('are shown as a table that is redrawn in a terminal', async () => {
    await app.write({ 'a.ndjson': '1', 'b.ndjson': '2' });
    const { err } = await app.submit(['*.ndjson', '--wait'], { isTerminal: true });
    const escapes = err.replaceAll('\u001b', '^');
    expect(escapes).toMatch(/\^\[2K {2}a.ndjson .* (waiting|sending)\n\^\[2K {2}b.ndjson .*\n\^\[J/);
    expect(escapes).toMatch(/\^\[2A\^\[J$/);
    expect(err).not.toContain('a.ndjson: batch');
  });

  it('are refused if they have the same content', async () => {
    await app.write({ 'a.ndjson': '1', 'b.ndjson': '1' });
    const { code, err } = await app.submit(['*.ndjson']);
    expect([code, app.arrived.length]).toEqual([EXIT.usage, 1]);
    expect(err).toMatch(/\w.ndjson: has the same content as \w.ndjson; --again submits it as another batch/);
  });

  it('are printed with their batches when the command is interrupted', async () => {
    await app.write({ 'a.ndjson': '1', 'b.ndjson': '2' });
    let interrupt = (): void => {};
    const onInterrupt = (report: () => void) => {
      interrupt = report;
      return () => {};
    };
    const sleep = async () => interrupt();
    let ms = 0;
    const now = () => (ms += 100);
    app.ends = { 'batch-1': 'running' };
    const ended = await app.submit(['*.ndjson', '--wait', '--timeout', '1'], { io: { onInterrupt, sleep, now } });
    expect(ended.code).toBe(EXIT.timeout);
    // The interruption prints the first table.
    expect(ended.out.split('file ')[1]).toMatch(/a.ndjson +batch-1 +10 +1 +running\n/);
  });

  it('are refused before any upload if one of them cannot be read', async () => {
    await app.write({ 'a.ndjson': '1', 'b.odd': '2' });
    for (const [args, message] of [
      [['a.ndjson', 'b.odd'], 'expected a name such as'],
      [['a.ndjson', 'none.csv'], 'cannot read none.csv'],
      [['a.ndjson', '*.csv'], 'no file matches *.csv'],
      [['a.ndjson', '-'], 'cannot be combined with other files'],
      [['a.ndjson', 'b.odd', '--idempotency-key', 'k'], 'expected one file'],
      [['a.ndjson', '--decimal', 'comma'], 'expected a CSV or Excel file'],
      [['a.ndjson', '--sheet', '2'], 'expected an Excel file'],
    ] as const) {
      const { code, err } = await app.submit([...args]);
      expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(message)]);
    }
    expect(app.arrived).toEqual([]);
  });
});
