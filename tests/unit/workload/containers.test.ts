import { describe, expect, it } from 'vitest';
import { isOwnContainerName } from '../../../shared/workload/container.ts';
import { ids, run, workloadOf } from '../../helpers/run-chunk.ts';

describe('the containers of a workload', () => {
  it.each(['images', 'a-1-b', 'x'.repeat(63)])('may be named %j', (name) => {
    expect(isOwnContainerName(name)).toBe(true);
  });

  it.each(['results', 'inbox-done', 'azure-webjobs-secrets', 'Images', 'a--b', '-ab', 'ab', 'x'.repeat(64), 'a/b'])(
    'may not be named %j',
    (name) => {
      expect(isOwnContainerName(name)).toBe(false);
      expect(() => workloadOf(() => 1, { containers: [name] })).toThrow('containers must be valid names');
    },
  );

  it('are opened only if they are declared, and only where there is storage', async () => {
    const workload = workloadOf((item, { container }) => container(item.id === 1 ? 'photos' : 'images') && 1, {
      containers: ['images'],
      attempts: 1,
    });
    const { dead } = await run(workload, ids(1, 2));
    expect(dead.map(({ error }) => error.message)).toEqual([
      'Workload "each" does not declare container "photos".',
      'There is no storage where this handler runs.',
    ]);
  });
});
