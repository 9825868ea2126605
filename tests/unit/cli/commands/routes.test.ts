import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../../shared/http/routes.ts';
import { KEYS, run } from '../world.ts';

const BATCH = '01985a00-0000-7000-8000-000000000000';
const POLICY = { thresholds: [{ tasks: 100 }], capacity: 100, headroom: 0.25, targetSeconds: 10 };

describe('the routes', () => {
  it.each([
    ['watch b', 'GET batches/{id}'],
    ['batches', 'GET batches'],
    ['results b', 'GET batches/{id}/results'],
    ['report b', 'GET batches/{id}/report'],
    ['dead-letters b', 'GET batches/{id}/dead-letters'],
    ['dead-letters --label a=b', 'GET dead-letters'],
    ['history', 'GET history'],
    ['items b', 'GET batches/{id}/items'],
    ['find b 7', 'GET batches/{id}/items/{position}'],
    ['find b --id x', 'GET batches/{id}/items'],
    ['redrive b', 'POST batches/{id}/dead-letters/redrive'],
    ['discard b --reason x', 'POST batches/{id}/dead-letters/discard'],
    ['cancel b', 'POST batches/{id}/cancel'],
    ['delete b --yes', 'DELETE batches/{id}'],
    ['inbox', 'GET inbox'],
    ['inbox retry a.csv', 'POST inbox/retry'],
    ['inbox delete a.csv --yes', 'DELETE inbox'],
    ['overview', 'GET overview'],
    ['queues', 'GET queues'],
    ['queue q', 'GET queues/{queue}'],
    ['pause q', 'POST queues/{queue}/pause'],
    ['resume q', 'GET queues/{queue}'],
    ['resume q --since 2026', 'POST queues/{queue}/resume'],
    [`pause ${BATCH}`, 'POST batches/{id}/pause'],
    [`resume ${BATCH}`, 'GET batches/{id}'],
    [`resume ${BATCH} --since 2026`, 'POST batches/{id}/resume'],
    ['clear q --confirm q', 'POST queues/{queue}/clear'],
    ['drain q', 'POST queues/{queue}/drain'],
    ['policy q', 'GET queues/{queue}/policy'],
    ['policy q --put -', 'PUT queues/{queue}/policy'],
    ['cost', 'GET cost'],
    ['audit', 'GET audit'],
    ['sweep', 'POST sweep'],
    ['health', 'GET health'],
  ])('are called with the key of their audience: "%s"', async (args, expected) => {
    const route = ROUTES.find((each) => `${each.method} ${each.path}` === expected);
    const keys = { client: KEYS.SLUICE_KEY, operator: KEYS.SLUICE_OPERATOR_KEY, anyone: null };

    const { asked } = await run(args, {}, { stdin: JSON.stringify(POLICY) });

    const id = args.includes(BATCH) ? BATCH : 'b';
    const path = expected.replace('{id}', id).replace('{queue}', 'q').replace('{position}', '7');
    expect(asked.map(({ method, path: at, key }) => [`${method} ${at.split('?')[0]}`, key])).toEqual([
      [path, keys[route?.audience[0] ?? 'anyone']],
    ]);
  });

  it('are called with --key before the environment, and with the client key if there is no operator key', async () => {
    expect((await run('queues --key mine')).asked[0]?.key).toBe('mine');
    expect((await run('queues', {}, { env: { SLUICE_OPERATOR_KEY: '' } })).asked[0]?.key).toBe(KEYS.SLUICE_KEY);
  });

  it('receive the name of the operator in requests that change something', async () => {
    const operatorOf = async (args: string[], env = {}) =>
      (await run(args, {}, { env })).asked[0]?.headers.get('sluice-operator');

    expect(await operatorOf(['pause', 'q', '--operator', 'Zoë'])).toBe('Zo%C3%AB');
    expect(await operatorOf(['pause', 'q'], { SLUICE_OPERATOR: 'Ada' })).toBe('Ada');
    expect(await operatorOf(['pause', 'q'])).toBeNull();
    expect(await operatorOf(['queues', '--operator', 'Ada'])).toBeNull();
  });

  it('receive names with special characters escaped', async () => {
    expect((await run('watch ../queues?x')).asked[0]?.path).toBe('batches/..%2Fqueues%3Fx');
  });
});
