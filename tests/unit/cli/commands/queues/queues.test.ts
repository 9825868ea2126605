import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import type { QueueView } from '../../../../../shared/http/queues/schemas.ts';
import { run } from '../../world.ts';

describe('queues', () => {
  const PAUSE = { by: 'operator', reason: 'audit', since: '2026-11-22T14:03:00.123Z' } as const;
  const queue = (changes: Partial<QueueView>): Partial<QueueView> => ({
    ...{ queue: 'mail-normal-0', status: 'idle', paused: null, depth: 7, active: 0, total: 3, itemsPerSecond: 0 },
    ...{ taskLimit: 0, ...changes },
  });
  const notes: QueueView['notes'] = [
    { tone: 'warn', text: 'waits for a share' },
    { tone: 'info', text: 'rate limit 1 call/1 s' },
  ];

  it.each<[string, Partial<QueueView>]>([
    ['idle', {}],
    ['idle', { notes: [] }],
    ['idle; waits for a share; rate limit 1 call/1 s', { notes }],
    [
      'paused by an operator: audit',
      { notes: [{ tone: 'warn', text: 'paused by an operator: audit' }], paused: PAUSE },
    ],
  ])('shows what the server says about the queue: %s', async (state, changes) => {
    const { out, code } = await run('queues', { 'GET queues': { json: { queues: [queue(changes)] } } });
    expect([out.split('\n')[1]?.replace(/^.* {2}(?=idle|paused)/, ''), code]).toEqual([state, EXIT.done]);
  });

  it('shows with --wide the load of the last wave, and empty cells if there is none', async () => {
    const load = { instances: 3, cpu: 0.854, eventLoop: 0.2, responseMs: 12.4, latencyMs: 1_500 };
    const unaged = { ...load, latencyMs: 0 };
    const queues = [...[load, unaged, null].map((each) => ({ ...queue({}), load: each })), queue({})];
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
