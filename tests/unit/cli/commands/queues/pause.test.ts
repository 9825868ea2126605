import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { batchView, run } from '../../world.ts';

const BATCH = '01985a00-0000-7000-8000-000000000000';
const SINCE = '2026-11-01T10:00:00.000Z';
const paused = { by: 'operator', reason: 'deployment', since: SINCE } as const;
const queue = { queue: 'q', status: 'idle', depth: 3, dueAt: null, paused } as const;

describe('resume', () => {
  it('names the pause that it ends, and prints it', async () => {
    const answers = { 'GET queues/q': { json: queue }, 'POST queues/q/resume': { json: { ...queue, paused: null } } };
    const { code, err, asked } = await run('resume q', answers);
    expect([code, asked.at(-1)?.body]).toEqual([EXIT.done, { since: SINCE }]);
    expect(err).toContain('Ends the pause since 2026-11-01 10:00:00 UTC by operator: deployment\n');
  });

  it('names the pause of a batch, with the key of a client for the batch', async () => {
    const answers = {
      [`GET batches/${BATCH}`]: { json: batchView(BATCH, 'paused', { paused }) },
      [`POST batches/${BATCH}/resume`]: { json: batchView(BATCH, 'queued') },
    };
    const { code, asked } = await run(`resume ${BATCH}`, answers);
    expect(code).toBe(EXIT.done);
    expect(asked.map(({ key, body }) => [key, body])).toEqual([
      ['client-key', undefined],
      ['operator-key', { since: SINCE }],
    ]);
  });

  it('ends only the pause of --since', async () => {
    const detail = 'Queue "q" has another pause now.';
    const { code, err, asked } = await run(`resume q --since ${SINCE}`, {
      'POST queues/q/resume': { status: 409, json: { title: 'Conflict', status: 409, detail } },
    });
    expect(asked.map(({ body }) => body)).toEqual([{ since: SINCE }]);
    expect([code, err]).toEqual([EXIT.refused, expect.stringContaining(detail)]);
  });

  it('refuses a queue that is not paused, and a batch that is finished', async () => {
    const idle = await run('resume q', { 'GET queues/q': { json: { ...queue, paused: null } } });
    expect([idle.code, idle.err]).toEqual([EXIT.refused, expect.stringContaining('q is not paused; there is no')]);
    const ended = await run(`resume ${BATCH}`, { [`GET batches/${BATCH}`]: { json: batchView(BATCH, 'completed') } });
    expect(ended.err).toContain(`${BATCH} is completed; there is no pause to end.`);
  });
});

describe('pause', () => {
  it.each([
    ['90s', 90],
    ['30m', 1_800],
    ['4h', 14_400],
    ['7d', 604_800],
  ])('for %s ends by itself', async (text, forSeconds) => {
    const until = '2026-11-01T14:00:00.000Z';
    const notes = [{ tone: 'warn', text: 'paused until 14:00:00' }];
    const answers = { 'POST queues/q/pause': { json: { ...queue, paused: { ...paused, until }, notes } } };
    const { out, asked } = await run(`pause q --for ${text}`, answers);
    expect(asked[0]?.body).toEqual({ forSeconds });
    expect(out).toContain('q: paused until 14:00:00, depth');
  });

  it.each(['8d', '0s', '10', 'soon'])('refuses --for %s', async (text) => {
    const { code, err } = await run(`pause q --for ${text}`);
    expect([code, err]).toEqual([
      EXIT.usage,
      expect.stringContaining('Expected a duration such as 90s, 30m, 4h or 2d'),
    ]);
  });
});
