import { describe, expect, it } from 'vitest';
import { runWorkload } from '../../../shared/kit/run-workload.ts';
import { isOwnContainerName } from '../../../shared/workload/container.ts';
import { BAD_NAMES } from '../../helpers/data/bad-names.ts';
import { ids, run, workloadOf } from '../../helpers/threads/run-chunk.ts';

describe('the containers of a workload', () => {
  it.each(['images', 'a-1-b', 'x'.repeat(63)])('may have the name %j', (name) => {
    expect(isOwnContainerName(name)).toBe(true);
  });

  it.each(['results', 'inbox-done', 'azure-webjobs-secrets', 'Images', 'a--b', '-ab', 'ab', 'x'.repeat(64), 'a/b'])(
    'must not have the name %j',
    (name) => {
      expect(isOwnContainerName(name)).toBe(false);
      expect(() => workloadOf(() => 1, { containers: [name] })).toThrow('containers must be valid container names');
    },
  );

  it('are opened only if they are declared and there is storage', async () => {
    const workload = workloadOf((item, { container }) => container(item.id === 1 ? 'photos' : 'images') && 1, {
      containers: ['images'],
      retry: { attempts: 1 },
    });
    const { dead } = await run(workload, ids(1, 2));
    expect(dead.map(({ error }) => error.message)).toEqual([
      'Workload "each" does not declare container "photos".',
      'No storage is available where this handler runs.',
    ]);
  });

  describe.each(['read', 'write'] as const)('%s', (call) => {
    const callWith = (name: string) =>
      workloadOf(
        async (_item, { container }) => {
          const images = container('images');
          return call === 'read' ? String(await images.read(name)) : await images.write(name, Buffer.of(1));
        },
        { containers: ['images'] },
      );

    it.each(BAD_NAMES)('of %j results in a dead letter without a retry', async (name) => {
      const { deadLetters, blobs } = await runWorkload(callWith(name), [{ id: 1 }]);

      expect(deadLetters.map(({ reason, attempts }) => [reason, attempts.length])).toEqual([['rejected', 1]]);
      expect(deadLetters[0]?.error.message).toMatch(/^The blob name .* (is|has) /);
      expect(blobs.images).toEqual({});
    });
  });

  it('accept all other blob names', async () => {
    const workload = workloadOf(
      async (_item, { container }) => {
        await container('images').write('__proto__', Buffer.from('a'));
        return `${await container('images').read('__proto__')} ${await container('images').read('toString')}`;
      },
      { containers: ['images'] },
    );
    expect((await runWorkload(workload, [{ id: 1 }])).results).toEqual(['a undefined']);
  });
});
