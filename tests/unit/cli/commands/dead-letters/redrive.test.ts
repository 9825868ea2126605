import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { batchView, run } from '../../world.ts';

const letter = { line: 2, chunk: '000000', cause: 'c', index: 1, reason: 'invalid', attempts: [], version: 1 };

describe('redrive', () => {
  const path = 'POST batches/b/dead-letters/redrive';
  const answer = { status: 202, json: { batch: 'b', revision: 1, redriven: 2, unreadable: 1, chunks: 1, at: '' } };

  it('always sends a key, and prints how many dead letters remain', async () => {
    const { asked, out, err } = await run("redrive b --cause 'c d' --rate 5", { [path]: answer });
    expect(asked[0]?.body).toEqual({ key: 'random-id', cause: 'c d', ratePerSecond: 5 });
    expect(err).toBe('Idempotency key: random-id\n');
    expect(out).toContain('2 items will run again, in revision 1\nUnreadable items, which remain dead letters: 1.');
  });

  it('requests only the report, and exits with the code of the final state', async () => {
    const batch = batchView('b', 'reportFailed', {
      reportRevision: null,
      reportProblem: 'The merge of key "k" failed',
    });
    const { asked, code, out, err } = await run('redrive b --report --wait', {
      [path]: { ...answer, json: { ...answer.json, redriven: 0, unreadable: 0, chunks: 0 } },
      'GET batches/b': { json: batch },
    });
    expect(asked[0]?.body).toEqual({ key: 'random-id', report: true });
    expect(err).toContain('The report is created again, in revision 1\n');
    expect(out).toContain(
      'No report: The merge of key "k" failed\nTo create the report again, after a deployment: sluice redrive b',
    );
    expect(code).toBe(EXIT.reportFailed);
  });

  it.each(['--cause c', '--items 1', '--corrected -', '--patch {}', '--rate 1'])(
    'refuses --report with %s',
    async (other) => {
      const { code, err, asked } = await run(`redrive b --report ${other}`);
      expect([code, err, asked]).toEqual([
        EXIT.usage,
        expect.stringContaining('--report: cannot be combined with'),
        [],
      ]);
    },
  );

  it('sends a patch, and keeps the digits of its numbers', async () => {
    const { asked } = await run(['redrive', 'b', '--patch', '{"price":1.10,"old":null}', '--idempotency-key', 'k'], {
      [path]: answer,
    });
    expect(asked[0]?.text).toBe('{"key":"k","patch":{"price":1.10,"old":null}}');
  });

  it('reads corrected items in the format of downloaded dead letters', async () => {
    const stdin = `${JSON.stringify({ ...letter, item: { id: 'x' } })}\n\n${JSON.stringify({ index: 9, item: null })}\n`;
    const { asked } = await run(
      'redrive b --corrected - --items 3 --idempotency-key mine',
      { [path]: answer },
      { stdin },
    );
    const corrected = [
      { index: 1, item: { id: 'x' } },
      { index: 9, item: null },
    ];
    expect(asked[0]?.body).toEqual({ key: 'mine', items: [3], corrected });
  });

  it.each([
    ['{"index":1}\n', 'line 1: expected {"index": …, "item": …}'],
    ['\n{', 'line 2: expected JSON'],
    ['\n', 'has no lines'],
  ])('reports the line of an error in %j', async (stdin, message) => {
    const { code, err, asked } = await run('redrive b --corrected -', {}, { stdin });
    expect([code, err, asked]).toEqual([EXIT.usage, expect.stringContaining(message), []]);
  });
});
