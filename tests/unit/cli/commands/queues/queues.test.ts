import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import type { QueueView } from '../../../../../shared/http/queues/schemas.ts';
import { run } from '../../world.ts';

describe('queues', () => {
  const rateLimit = { calls: 200, perSeconds: 60 };
  const none = { rateLimit: null, maxConcurrency: null, lowered: null, heldUntil: null, holders: 0, waiting: null };
  const queue = (limits: QueueView['limits'] | undefined): Partial<QueueView> => ({
    ...{ queue: 'mail-normal-0', status: 'idle', paused: null, startFailure: null, dueAt: null, taskLimit: 0 },
    ...{ depth: 7, active: 0, total: 3, itemsPerSecond: 0, ...(limits === undefined ? {} : { limits }) },
  });
  const at = (time: string): string => `2026-11-22T${time}.123Z`;

  it.each<[string, QueueView['limits'] | undefined]>([
    ['idle', undefined],
    ['idle', null],
    ['idle, rate limit 200 calls/60 s', { ...none, rateLimit }],
    [
      'idle, rate limit 200 calls/60 s, lowered to 5 % since 2026-11-22 14:03:00 (throttled), ' +
        'nothing starts until 2026-11-22 14:03:30 (throttled), shared by 2 processes',
      {
        ...{ ...none, rateLimit, lowered: { factor: 0.05, since: at('14:03:00') } },
        ...{ heldUntil: at('14:03:30'), holders: 2 },
      },
    ],
    [
      'waits for a share of the limits since 2026-11-22 14:03:00, due 2026-11-22 14:03:06, rate limit 1 item/1 s, ' +
        'at most 1,000 items in flight, shared by 1 process',
      {
        ...{ ...none, rateLimit: { items: 1, perSeconds: 1 }, maxConcurrency: 1_000, holders: 1 },
        waiting: { since: at('14:03:00'), until: at('14:03:06') },
      },
    ],
  ])('shows the limits and what the queue waits for: %s', async (state, limits) => {
    const { out, code } = await run('queues', { 'GET queues': { json: { queues: [queue(limits)] } } });
    expect([out.split('\n')[1]?.replace(/^.* {2}(?=idle|waits)/, ''), code]).toEqual([state, EXIT.done]);
  });

  it('shows with --wide the load of the last wave, and empty cells if there is none', async () => {
    const load = { instances: 3, cpu: 0.854, eventLoop: 0.2, responseMs: 12.4, latencyMs: 1_500 };
    const unaged = { ...load, latencyMs: 0 };
    const queues = [...[load, unaged, null].map((each) => ({ ...queue(null), load: each })), queue(undefined)];
    const { out } = await run('queues --wide', { 'GET queues': { json: { queues } } });
    expect(out.split('\n').map((line) => line.slice(line.search(/items\/s|0 {8}/)))).toEqual([
      'items/s  task limit  instances  cpu   event loop  response  latency  state',
      '0                      3  85 %  20 %        12 ms     1.50 s   idle',
      '0                      3  85 %  20 %        12 ms              idle',
      '0                                                              idle',
      '0                                                              idle',
      '',
    ]);
  });
});
