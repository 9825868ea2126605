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
      hint: 'Look at the header.',
      command: 'sluice try usage.csv --workload billing',
    };
    const revisions = [{ revision: 0, items: 25_000 }] as BatchView['revisions'];
    const json = batchView('b', 'suspect', { suspect, revisions });

    const { code, out } = await run('watch b', polls({ json }));

    expect(code).toBe(9);
    expect(out.split('\n').slice(0, 7)).toEqual([
      'State: suspect',
      'Suspect: none of the first 1,000 items is valid. The file or the schema is probably wrong.',
      `  24,999 items: ${cause}`,
      '    for example at position 1,234: id: Required',
      '  1 item: invalid: InvalidItem: n: Too small',
      'Look at the header.',
      'To see the details: sluice try usage.csv --workload billing',
    ]);
  });

  it.each([
    ['of the items', [{ revision: 0, items: 1_000 }]],
    [
      'of the redriven items',
      [
        { revision: 0, items: 25_000 },
        { revision: 1, items: 3 },
      ],
    ],
    [
      'of the first 1,000 redriven items',
      [
        { revision: 0, items: 25_000 },
        { revision: 1, items: 1_001 },
        { revision: 2, items: 0 },
        { revision: 3, items: 2, kind: 'discard' },
      ],
    ],
  ])('reports that none %s is valid', async (which, revisions) => {
    const json = batchView('b', 'suspect', {
      suspect: { causes: [], hint: '', command: '' },
      revisions: revisions as BatchView['revisions'],
    });
    expect((await run('watch b', polls({ json }))).out).toContain(`Suspect: none ${which} is valid. The file`);
  });

  it('shows the hint on the cause of dead letters', async () => {
    const json = batchView('b', 'completedWithDeadLetters', { hint: 'Each cell of this CSV upload is text.' });
    expect((await run('watch b', polls({ json }))).out).toContain('\nEach cell of this CSV upload is text.\n');
  });

  it('reports that the batch is paused, and continues to watch it', async () => {
    const why = { by: 'halt', reason: '6 of 10 items are dead letters', since: '2026-11-01T10:00:00.000Z' } as const;
    const paused = { json: batchView('b', 'paused', { paused: why }) };

    const { code, err } = await run('watch b', polls(paused, paused, { json: batchView('b', 'completed') }));

    expect(code).toBe(EXIT.done);
    const line =
      'Paused since 2026-11-01 10:00:00 UTC by the halt rule of its workload: 6 of 10 items are dead letters';
    const choice = 'To continue: sluice resume b; to cancel: sluice cancel b';
    expect(err.split(`${line}\n${choice}\n`)).toHaveLength(2);
  });

  it('prints once, in full, why the batch waits', async () => {
    const reason = `paused by the circuit: No thread could begin: ${'x'.repeat(200)}`;
    const blocked = { queue: 'billing-normal-0', since: '2026-11-01T10:00:00.000Z', reason };
    const waiting = { json: batchView('b', 'queued', { blocked }) };

    const { code, err } = await run('watch b', polls(waiting, waiting, { json: batchView('b', 'completed') }));

    expect(code).toBe(EXIT.done);
    const line = `Blocked since 2026-11-01 10:00:00 UTC by queue billing-normal-0: ${reason}\n`;
    expect(err.split(line)).toHaveLength(2);
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
    const blocked = { queue: 'q', since: '2026-11-01T10:00:00.000Z', reason: '\u001b[2Jx\nState: completed' };
    const waiting = { json: batchView('b', 'queued', { blocked }) };
    const { out, err } = await run('watch b', polls(waiting, { json: batchView('b', 'completed', { blocked }) }));
    const shown = 'queue q: \\x1b[2Jx\n        State: completed\n';
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
