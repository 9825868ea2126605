import { describe, expect, it } from 'vitest';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { DrainStartError } from '../../../shared/errors.ts';
import { wake } from '../../../shared/gate/gate.ts';
import type { GateRow } from '../../../shared/gate/gate-row.ts';
import { changeGate, readGate } from '../../../shared/gate/gate-store.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { noCounts, type SweepCounts } from '../../../shared/sweep/sweep-run.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { interposed } from '../../helpers/fakes/interposed.ts';
import { measure } from '../../helpers/measure.ts';
import { DONE, did, HOUR, ITEMS, MINUTE, unheard, useWorld } from '../in-process/use-world.ts';
import { inventory, itemsOf } from '../in-process/world.ts';

const use = useWorld();

describe('an idle sweep', () => {
  it('is one operation', async () => {
    const { value, operations } = await measure(use.world.clients.meter, () => sweep(use.world.deps));
    expect(operations).toEqual({ 'table.query': 1 });
    expect(value).toEqual(noCounts());
  });

  it('does not change a batch that is being processed', async () => {
    const { id } = await use.world.submit(itemsOf(9));
    expect(did(await sweep(use.world.deps))).toEqual({});
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });
});

describe('an intake that is interrupted', () => {
  // Payload, open row, acceptance, three references, wake, queued.
  it.each(Array.from({ length: 8 }, (_, n) => n + 1))('at write %i is continued, or leaves nothing', async (at) => {
    const before = await inventory(use.world.clients);
    await use.world.reset({ chores: at < 3 });
    await use.world.submit(itemsOf(9), { deps: dyingAt(use.world.deps, at) }).catch(() => undefined);
    use.world.topic.events.length = 0;
    use.world.wait(at < 3 ? 25 * HOUR : 3 * MINUTE);
    await sweep(use.world.deps);
    await use.world.drainAll();
    const left = (await inventory(use.world.clients)).filter((name) => !before.includes(name));
    if (at < 3) return expect(left).toEqual([]);
    const id = left.find((name) => name.startsWith('payloads '))?.slice(9, 45) ?? '';
    expect(await use.world.batch(id)).toMatchObject(DONE);
    expect(await use.world.report(id, 0)).toMatchObject({ a: { items: 3, amount: 9 } });
  });
});

describe('a sweep just before an acceptance', () => {
  // Both write the row `open` second, and are accepted by their first transaction, which is the third write.
  const ACCEPTED_AT = 3;
  const dyingAfterSweep = () =>
    dyingAt(
      interposed(use.world.deps, 'submitTransaction', () => sweep(use.world.deps)),
      ACCEPTED_AT,
    );

  it('leaves the row with which a later sweep finds an upload whose process died', async () => {
    const { world } = use;
    await world.submit(itemsOf(9), { deps: dyingAfterSweep() }).catch(() => undefined);
    const [id = ''] = await world.openIds();
    world.wait(3 * MINUTE);

    expect(did(await sweep(world.deps))).toMatchObject({ continued: 1 });

    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('leaves the row with which a later sweep finds a redrive whose process died', async () => {
    const { world } = use;
    const batch = await world.submitWithDead('b');
    await redrive(dyingAfterSweep(), { batch, key: 'k', selection: {} }).catch(() => undefined);
    world.wait(3 * MINUTE);

    expect(did(await sweep(world.deps))).toMatchObject({ continued: 1 });

    await world.drainAll();
    expect(await world.batch(batch)).toMatchObject({ ...DONE, revision: 1 });
  });
});

describe('a lost wake', () => {
  it('is found when its message is old, is counted, and is repeated', async () => {
    const id = await unheard(use.world);
    expect(did(await sweep(use.world.deps))).toEqual({});
    use.world.wait(2 * MINUTE);
    const { missedWakes } = (await readGate(use.world.clients.gates, ITEMS)).row;
    expect(did(await sweep(use.world.deps))).toEqual({ missedWakes: 1 });
    expect((await readGate(use.world.clients.gates, ITEMS)).row.missedWakes).toBe(missedWakes + 1);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('of a result queue is found, too', async () => {
    const id = await unheard(use.world);
    await use.world.drainUnasked(ITEMS);
    use.world.topic.events.length = 0;
    use.world.wait(2 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ missedWakes: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('is not assumed while the queue is parked, unless the scheduled wake does not come', async () => {
    const id = await unheard(use.world);
    const parkedUntil = new Date(use.world.deps.gate.now() + 10 * MINUTE).toISOString();
    await changeGate(use.world.clients.gates, ITEMS, () => ({ parkedUntil }));
    use.world.wait(5 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({});
    use.world.wait(7 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ missedWakes: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('is not repeated while an operator has paused the queue', async () => {
    const id = await unheard(use.world);
    await changeGate(use.world.clients.gates, ITEMS, () => ({ paused: { by: 'operator', reason: 'no', since: '' } }));
    use.world.wait(2 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({});
    await changeGate(use.world.clients.gates, ITEMS, () => ({ paused: undefined }));
    await sweep(use.world.deps);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });
});

describe('a gate without its drain', () => {
  it('whose drain was never started gets it started', async () => {
    const id = await unheard(use.world);
    await wake(dyingAt({ gate: use.world.deps.gate, startNew: () => undefined }, 1).gate, ITEMS).catch(() => undefined);
    use.world.runtime.started.length = 0;
    use.world.runtime.statuses.clear();
    use.world.wait(2 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ restarted: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it.each(['Failed', 'Terminated', 'Completed'])('whose drain is %s is taken over', async (status) => {
    const id = await unheard(use.world);
    await wake(use.world.deps.gate, ITEMS);
    const [drain] = use.world.runtime.started.splice(0);
    const aliveUntil = new Date(use.world.deps.gate.now() + MINUTE).toISOString();
    const gate = await changeGate(use.world.clients.gates, ITEMS, () => ({ aliveUntil }));
    use.world.runtime.statuses.set(gate?.instanceId ?? '', status);
    use.world.wait(2 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ takenOver: 1 });
    expect(use.world.runtime.started[0]?.generation).toBe((drain?.generation ?? 0) + 1);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('whose drain is reported as Running is trusted for ten minutes after its last heartbeat', async () => {
    const id = await unheard(use.world);
    await wake(use.world.deps.gate, ITEMS);
    use.world.runtime.started.length = 0;
    const aliveUntil = new Date(use.world.deps.gate.now() + MINUTE).toISOString();
    await changeGate(use.world.clients.gates, ITEMS, () => ({ aliveUntil }));
    use.world.wait(9 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({});
    use.world.wait(3 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ takenOver: 1 });
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });
});

describe('orchestrations that cannot be started', () => {
  const ALERTS = ['drain-start-failed', 'drain-failed'];
  /** Sweeps. Returns the counts and the alerts. */
  async function sweepAndHear(
    deps = use.world.deps,
  ): Promise<{ counts: Partial<SweepCounts>; alerts: Record<string, unknown>[] }> {
    const lines: Record<string, unknown>[] = [];
    const hear = (line: string): void => void lines.push(JSON.parse(line));
    const counts = await withLog({ debug: hear, info: hear, warn: hear, error: hear }, () => sweep(deps));
    return { counts: did(counts), alerts: lines.filter(({ event }) => ALERTS.includes(String(event))) };
  }
  const gateRow = async () => (await readGate(use.world.clients.gates, ITEMS)).row;

  it.each([
    ['the start', 'startNew'],
    ['every call', 'all'],
  ] as const)(
    'do not affect the work while the runtime refuses %s, until one can be started',
    async (_what, broken) => {
      const id = await unheard(use.world);
      use.world.runtime.broken = broken;
      use.world.wait(2 * MINUTE);
      const refused = await sweepAndHear();
      expect(refused.counts).toEqual({ missedWakes: 1, startFailed: 1 });
      const error = expect.objectContaining({ message: 'The runtime does not answer.' });
      expect(refused.alerts).toEqual([
        { event: 'drain-start-failed', queue: ITEMS, generation: 1, waitingSeconds: expect.any(Number), error },
      ]);
      expect(refused.alerts[0]?.waitingSeconds).toBeGreaterThanOrEqual(120);
      expect(await use.world.deps.depthOf(ITEMS)).toBe(3);
      expect((await use.world.batch(id)).chunksDone).toBe(0);
      const { since } = (await gateRow()).startFailure ?? {};
      expect(await gateRow()).toMatchObject({
        status: 'draining',
        startFailure: { since: expect.any(String), error: 'The runtime does not answer.' },
      });

      // The gate is taken over by then; the time of the first failed start is still known.
      use.world.wait(15 * MINUTE);
      const again = await sweepAndHear();
      expect(again.counts).toEqual({ startFailed: 1 });
      expect(again.alerts).toMatchObject([{ queue: ITEMS, generation: 2 }]);
      expect((await gateRow()).startFailure?.since).toBe(since);

      use.world.runtime.broken = undefined;
      use.world.wait(2 * MINUTE);
      expect(await sweepAndHear()).toEqual({ counts: { restarted: 1 }, alerts: [] });
      await use.world.drainAll();
      expect(await use.world.batch(id)).toMatchObject(DONE);
      expect(await use.world.report(id, 0)).toMatchObject({ a: { items: 3, amount: 9 } });
      expect((await gateRow()).startFailure).toBeUndefined();
    },
  );

  it('are also reported if a wake had acquired the gate before', async () => {
    const id = await unheard(use.world);
    use.world.runtime.broken = 'all';
    await expect(wake(use.world.deps.gate, ITEMS)).rejects.toThrow('The runtime does not answer.');
    use.world.wait(2 * MINUTE);
    expect((await sweepAndHear()).counts).toEqual({ startFailed: 1 });
    use.world.runtime.broken = undefined;
    // A wake before the next sweep has the same effect.
    await wake(use.world.deps.gate, ITEMS);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
    expect((await gateRow()).startFailure).toBeUndefined();
  });

  it('are reported even if the queue cannot be read', async () => {
    const id = await unheard(use.world);
    use.world.runtime.broken = 'all';
    await expect(wake(use.world.deps.gate, ITEMS)).rejects.toThrow('The runtime does not answer.');
    use.world.wait(2 * MINUTE);
    const peekMessages = (): Promise<never> => Promise.reject(new Error('The queue does not answer.'));
    const queues: typeof use.world.deps.queues = (name) =>
      Object.assign(Object.create(use.world.deps.queues(name)), { peekMessages });
    const { counts, alerts } = await sweepAndHear({ ...use.world.deps, queues });
    expect(counts).toEqual({ startFailed: 1 });
    expect(alerts).toMatchObject([{ event: 'drain-start-failed', queue: ITEMS, waitingSeconds: 0 }]);
    use.world.runtime.broken = undefined;
    await wake(use.world.deps.gate, ITEMS);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('are not reported if the depth or the policy cannot be read', async () => {
    const id = await unheard(use.world);
    use.world.wait(2 * MINUTE);
    const { gate } = use.world.deps;
    const start = (): Promise<never> => Promise.reject(new Error('The table does not answer.'));
    expect(await sweepAndHear({ ...use.world.deps, gate: { ...gate, start } })).toEqual({
      counts: { missedWakes: 1, failed: 1 },
      alerts: [],
    });
    expect((await gateRow()).startFailure).toBeUndefined();
    use.world.wait(2 * MINUTE);
    await sweep(use.world.deps);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('are reported for each queue, even if each start waits for a silent runtime', async () => {
    const id = await unheard(use.world);
    await use.world.drainOne(ITEMS);
    use.world.topic.events.length = 0;
    use.world.wait(2 * MINUTE);
    const { gate } = use.world.deps;
    const waiting: (() => void)[] = [];
    // A sweep that waits for one queue before it tries the next would never reach the second one.
    const start = async (): Promise<void> => {
      if (waiting.length === 0) await new Promise<void>((resolve) => void waiting.push(resolve));
      for (const go of waiting) go();
      throw new DrainStartError(new Error('No answer in time.'));
    };
    expect(did(await sweep({ ...use.world.deps, gate: { ...gate, start } }))).toEqual({
      missedWakes: 2,
      startFailed: 2,
    });
    use.world.wait(2 * MINUTE);
    await sweep(use.world.deps);
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });

  it('are not reported if another process has started the drain in the meantime', async () => {
    const id = await unheard(use.world);
    const { gate } = use.world.deps;
    const start = async (row: GateRow): Promise<void> => {
      await changeGate(gate.table, row.queue, () => ({ aliveUntil: new Date(gate.now() + MINUTE).toISOString() }));
      await gate.start(row);
      throw new DrainStartError(new Error('The answer was lost.'));
    };
    use.world.wait(2 * MINUTE);
    expect(did(await sweep({ ...use.world.deps, gate: { ...gate, start } }))).toEqual({ missedWakes: 1 });
    expect((await gateRow()).startFailure).toBeUndefined();
    await use.world.drainAll();
    expect(await use.world.batch(id)).toMatchObject(DONE);
  });
});

describe('an unavailable topic', () => {
  it('makes the sweep wake the queues of repaired batches', async () => {
    await use.world.submit(itemsOf(9), { deps: dyingAt(use.world.deps, 4) }).catch(() => undefined);
    use.world.topic.broken = true;
    use.world.wait(3 * MINUTE);
    expect(did(await sweep(use.world.deps))).toEqual({ continued: 1 });
    expect(use.world.runtime.started.map(({ queue }) => queue)).toEqual([ITEMS]);
    use.world.topic.broken = false;
    await use.world.drainAll();
  });
});
