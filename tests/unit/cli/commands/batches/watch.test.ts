import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import type { BatchView } from '../../../../../shared/http/batches/schemas.ts';
import { type Answer, batchView, run } from '../../world.ts';

describe('watch', () => {
  const polls = (...answers: Answer[]) => ({ 'GET batches/b': answers });
  const running = { json: batchView('b', 'running') };

  it.each([
    ['completed', EXIT.done],
    ['completedWithDeadLetters', EXIT.deadLetters],
    ['cancelled', EXIT.cancelled],
    ['reportFailed', EXIT.reportFailed],
    ['suspect', EXIT.suspect],
  ] as const)('exits with the code of the final state: %s', async (state, exit) => {
    const { code, out } = await run('watch b', polls(running, { json: batchView('b', state) }));
    expect([code, out]).toEqual([exit, expect.stringContaining(`State: ${state}\n`)]);
    expect(out).toContain('Cost: 0.000010 USD by the price sheet 2026; one message per item: 0.00010 USD');
  });

  it('shows the causes of a suspect batch with an example', async () => {
    const cause = 'invalid: InvalidItem: id: Required';
    const suspect = {
      causes: [
        { cause, count: 24_999, example: { position: 1_234, message: 'id: Required' } },
        { cause: 'invalid: InvalidItem: n: Too small', count: 1 },
      ],
      verdict: 'None of the items is valid.',
      hint: 'Look at the header.',
      command: 'sluice try usage.csv --workload billing',
    };
    const json = batchView('b', 'suspect', { suspect });

    const { code, out } = await run('watch b', polls({ json }));

    expect(code).toBe(9);
    expect(out.split('\n').slice(0, 7)).toEqual([
      'State: suspect',
      'Suspect: None of the items is valid.',
      `  24,999 items: ${cause}`,
      '    for example at position 1,234: id: Required',
      '  1 item: invalid: InvalidItem: n: Too small',
      'Look at the header.',
      'To see the details: sluice try usage.csv --workload billing',
    ]);
  });

  it('shows the hint on the cause of dead letters', async () => {
    const json = batchView('b', 'completedWithDeadLetters', { hint: 'Each cell of this CSV upload is text.' });
    expect((await run('watch b', polls({ json }))).out).toContain('\nEach cell of this CSV upload is text.\n');
  });

  it('reports that the batch is paused, and continues to watch it', async () => {
    const text = 'paused by the halt rule of its workload: 6 of 10 items are dead letters';
    const paused = { json: batchView('b', 'paused', { notes: [{ tone: 'warn', text }] }) };

    const { code, err } = await run('watch b', polls(paused, paused, { json: batchView('b', 'completed') }));

    expect(code).toBe(EXIT.done);
    const choice = 'To continue: sluice resume b; to cancel: sluice cancel b';
    expect(err.split(`P${text.slice(1)}\n${choice}\n`)).toHaveLength(2);
  });

  it('prints once, in full, why the batch waits, but not its place in the queue', async () => {
    const text = `blocked by queue billing-normal-0: No thread could begin: ${'x'.repeat(200)}`;
    const place = (ahead: number) => ({ tone: 'info' as const, text: `behind ${ahead} batches` });
    const waiting = (ahead: number): Answer => ({
      json: batchView('b', 'queued', { notes: [{ tone: 'warn', text }, place(ahead)] }),
    });

    const { code, err } = await run('watch b', polls(waiting(3), waiting(2), { json: batchView('b', 'completed') }));

    expect(code).toBe(EXIT.done);
    expect(err.split(`B${text.slice(1)}\n`)).toHaveLength(2);
    expect(err).not.toContain('ehind');
  });

  it('prints each failure in a running chunk once, also if a poll in between has none', async () => {
    const progress = { chunks: 1, items: 10, ended: 3, inFlight: 2, failing: 1, at: '2026-11-01T10:00:00.000Z' };
    const failing = (latestError: string): Answer => ({
      json: batchView('b', 'running', { progress: { ...progress, latestError } }),
    });
    const answers = [failing('Error: a'), running, failing('Error: a'), failing('Error: b')];

    const { err } = await run('watch b', polls(...answers, { json: batchView('b', 'completed') }));

    expect(err.match(/^Latest failure: .*$/gm)).toEqual(['Latest failure: Error: a', 'Latest failure: Error: b']);
  });

  it('does not let the reason of waiting control the terminal', async () => {
    const notes: BatchView['notes'] = [{ tone: 'warn', text: 'blocked: \u001b[2Jx\nState: completed' }];
    const waiting = { json: batchView('b', 'queued', { notes }) };
    const { out, err } = await run('watch b', polls(waiting, { json: batchView('b', 'completed', { notes }) }));
    const shown = 'Blocked: \\x1b[2Jx\n        State: completed\n';
    expect([out, err]).toEqual([expect.stringContaining(shown), expect.stringContaining(shown)]);
  });

  it('exits with 7 after the timeout', async () => {
    const { code, err, sleptMs } = await run('watch b --timeout 2', polls(running));
    expect([code, err]).toEqual([
      EXIT.timeout,
      expect.stringContaining('The batch is not finished after 2 s; it continues.'),
    ]);
    expect(sleptMs).toEqual([500, 500, 500, 500]);
  });

  it('prints the batch with --json', async () => {
    const batch = batchView('b', 'completed');
    expect(JSON.parse((await run('watch b --json', polls({ json: batch }))).out)).toEqual(batch);
  });
});
