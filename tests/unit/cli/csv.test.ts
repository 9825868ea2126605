import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { run } from './world.ts';

const ID = '01a1fe1f-bab8-7ae4-96f3-25c93f470606';
const queue = { queue: 'q', status: 'idle', paused: null, startFailure: null, dueAt: null, limits: null };

describe('with --output csv', () => {
  it.each([
    [
      'batches',
      'id,workload,lane,state,accepted,pending,dead,createdAt,completedAt',
      {
        'GET batches?limit=50': {
          json: {
            batches: [
              {
                ...{
                  id: ID,
                  workload: 'billing',
                  lane: 'high',
                  state: 'running',
                  accepted: 1_000,
                  pending: 4,
                  dead: 0,
                },
                ...{ createdAt: '2026-11-01T10:00:00.123Z', completedAt: null },
              },
            ],
            days: { from: '', to: '' },
            scanned: { batches: 1, until: null },
          },
        },
      },
      `${ID},billing,high,running,1000,4,0,2026-11-01T10:00:00.123Z,`,
    ],
    [
      'queues',
      'queue,depth,depthAt,batches,items,active,total,itemsPerSecond,taskLimit,state',
      {
        'GET queues': {
          json: {
            queues: [
              {
                ...{
                  ...queue,
                  depth: 7,
                  depthAt: '2026-11-01T10:00:00.123Z',
                  backlog: { batches: 2, items: 99 },
                  active: 0,
                  total: 1,
                  itemsPerSecond: 1_234.5,
                  taskLimit: 0,
                },
                paused: { by: 'operator', since: '2026-11-01T10:00:00.123Z', reason: '=x, "y"' },
                notes: [{ tone: 'warn', text: 'paused by an operator: =x, "y"' }],
              },
            ],
          },
        },
      },
      'q,7,2026-11-01T10:00:00.123Z,2,99,0,1,1234.5,0,"paused by an operator: =x, ""y"""',
    ],
  ])('prints the fields of JSON: %s', async (args, header, answers, row) => {
    const { code, out } = await run(`${args} --output csv`, answers);
    expect([code, out]).toEqual([EXIT.done, `${header}\r\n${row}\r\n`]);
  });

  it('prints only the header of an empty list', async () => {
    const { out } = await run('batches -o csv', {
      'GET batches?limit=50': {
        json: { batches: [], days: { from: '', to: '' }, scanned: { batches: 0, until: null } },
      },
    });
    expect(out).toBe('id,workload,lane,state,accepted,pending,dead,createdAt,completedAt\r\n');
  });
});
