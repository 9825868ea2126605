import { describe, expect, it } from 'vitest';
import { pauseBatch, resumeBatch } from '../../../shared/commands/pause.ts';
import { getResults } from '../../../shared/http/batches/downloads/get-results.ts';
import { receive } from '../../../shared/queues/messages.ts';
import { createCollectRound } from '../../../shared/results/collect-round.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import type { HaltRule } from '../../../shared/workload/define.ts';
import type { QueueAddress } from '../../../shared/workload/registry.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { call } from '../api/call.ts';
import { echo } from '../in-process/echo.ts';
import type { Published } from '../in-process/stubs.ts';
import { DONE, ITEMS, MINUTE, RESULTS, unheard, useWorld } from '../in-process/use-world.ts';
import { downstream, itemsOf, type World } from '../in-process/world.ts';

const use = useWorld();

/** Events of wakes and drains, and of the deadline: the clock of these tests runs ahead until their batches are at risk. */
const OTHERS = new Set<Published['type']>(['QueueWorkDetected', 'QueueEmpty', 'DeadlineAtRisk']);
/** The other events that subscribers have received so far. */
const seen = (): Published[] => use.world.topic.events.filter(({ type }) => !OTHERS.has(type));
const idsOf = (type: Published['type']): string[] =>
  seen().flatMap((event) => (event.type === type ? [event.messageId] : []));

/** The dependencies of a world, for a workload with other options. */
const withOptions = (world: World, options: { halt?: HaltRule; resultsReady?: boolean }): World['deps'] => ({
  ...world.deps,
  registry: createRegistry([{ ...echo, ...options }]),
});

/** Runs the next chunk of the queue, which has three items, and collects its result. */
async function runChunk(world: World, deps: FinalizeDeps = world.deps): Promise<void> {
  await world.drainOne(ITEMS);
  await world.collectAs(deps);
}

it('publishes only the end of a batch without incident', async () => {
  const { world } = use;
  const { id } = await world.submit(itemsOf(9));
  await world.drainAll();

  expect(await world.batch(id)).toMatchObject(DONE);
  expect(seen().map(({ type }) => type)).toEqual(['BatchCompleted']);
});

describe('ResultsReady', () => {
  const resultsOf = async (batch: string, chunk: string): Promise<string[]> => {
    const path = `batches/${batch}/results?from=${chunk}&limit=1`;
    const { text } = await call((request) => getResults(use.world.deps, request), path, { params: { id: batch } });
    return text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
  };

  it('contains chunks whose results can be read while the batch runs', async () => {
    const { world } = use;
    const deps = withOptions(world, { resultsReady: true });
    downstream.broken.add('b');
    const id = await unheard(world);
    await world.drainOne(ITEMS, 2);
    await world.collectAs(deps);

    const [event] = seen();
    expect(event).toMatchObject({ type: 'ResultsReady', batch: id, items: 6 });
    expect(event?.details).toMatchObject({ succeeded: 4, dead: 2, revision: 0 });
    const chunks = event?.details?.chunks as string[];
    const read = await Promise.all(chunks.map((chunk) => resultsOf(id, chunk)));
    expect(read).toEqual([
      ['i0', 'i2'],
      ['i3', 'i5'],
    ]);
    await world.drainAll();
    await runChunk(world, deps);
    expect(await world.batch(id)).toMatchObject({ state: 'completedWithDeadLetters', succeeded: 6, dead: 3 });
  });

  // The transaction, and the event; then the message is deleted.
  it.each([1, 2])(
    'is published again, with the same id, when a process dies at write %i of the collection',
    async (at) => {
      const { world } = use;
      const deps = withOptions(world, { resultsReady: true });
      const id = await unheard(world);
      await world.drainOne(ITEMS, 2);
      const messages = await receive(world.clients.queue(RESULTS), 1, 30);
      const address = world.deps.registry.queue(RESULTS) as QueueAddress;
      await createCollectRound(dyingAt<FinalizeDeps>(deps, at), address)(messages).catch(() => undefined);
      expect((await world.batch(id)).chunksDone).toBe(2);
      expect(idsOf('ResultsReady')).toHaveLength(at - 1);

      // The same message again, as after its visibility timeout.
      await createCollectRound(deps, address)(messages);

      expect(idsOf('ResultsReady')).toHaveLength(at);
      expect(new Set(idsOf('ResultsReady')).size).toBe(1);
      expect(seen()[0]?.details).toMatchObject({ chunks: ['000000', '000001'], succeeded: 6 });
      await runChunk(world, deps);
      expect(await world.batch(id)).toMatchObject(DONE);
    },
  );
});

describe('BatchPaused and BatchResumed', () => {
  it('are published when an operator pauses and resumes, also after the topic was unavailable', async () => {
    const { world } = use;
    const id = await unheard(world);
    const { paused } = await pauseBatch(world.deps, id, { reason: 'look first' });
    await world.drainUnasked(ITEMS);
    world.topic.broken = true;
    // Neither the event nor the wake is published.
    await expect(resumeBatch(world.deps, id, { since: paused?.at ?? '' })).rejects.toThrow('does not answer');
    world.topic.broken = false;
    expect(seen().map(({ type }) => type)).toEqual(['BatchPaused']);
    world.wait(3 * MINUTE);
    await sweep(world.deps);

    expect(seen().map(({ messageId }) => messageId)).toEqual([`paused-${id}-0-0`, `resumed-${id}-0-1`]);
    expect(seen()[0]?.details).toEqual({ by: 'operator', reason: 'look first', revision: 0 });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('are published when the halt rule of a workload pauses its batch', async () => {
    const { world } = use;
    downstream.broken.add('b');
    const deps = withOptions(world, { halt: { deadShare: 0.2, after: 3 } });
    const id = await unheard(world);
    await runChunk(world, deps);

    const reason = expect.stringMatching(/^1 of 3 items/);
    expect(seen().find(({ type }) => type === 'BatchPaused')).toMatchObject({
      ...{ messageId: `paused-${id}-0-0`, items: 9 },
      details: { by: 'halt', reason, revision: 0 },
    });
    downstream.broken.clear();
    await world.drainUnasked(ITEMS);
    await resumeBatch(deps, id, { since: (await world.batch(id)).paused?.at ?? '' });
    await world.drainUnasked(ITEMS);
    await world.collectAs(deps);
    expect((await world.batch(id)).state).toBe('completedWithDeadLetters');
  });
});
