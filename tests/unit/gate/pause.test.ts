import { expect, test } from 'vitest';
import type { EventDetails, PublishOptions } from '../../../shared/events/publish.ts';
import { wake } from '../../../shared/gate/gate.ts';
import { changeGate, readGate } from '../../../shared/gate/gate-store.ts';
import { pauseGate, resumeGate } from '../../../shared/gate/pause.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { address } from '../drain/drain-fixtures.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const { queue } = address;

/** A gate, and the order of its writes and of the published events. */
function world() {
  const { table, before } = memoryTable();
  const done: string[] = [];
  let nowMs = NOW;
  let isAway = false;
  before(async (name) => {
    if (name !== 'table.get') done.push(name);
  });
  const publish = async (_address: unknown, { type }: EventDetails, { at }: PublishOptions = {}) => {
    if (isAway) throw new Error('The topic is unavailable.');
    done.push(`${type} at ${at?.toISOString()}`);
  };
  const gate = { table, now: () => nowMs, start: async () => {}, status: async () => 'Running' as const };
  return {
    ...{ gate, done },
    pause: (wish: Parameters<typeof pauseGate>[2]) =>
      withLog(SILENT_LOG, () => pauseGate({ gate, publish }, address, wish)),
    row: async () => (await readGate(table, queue)).row,
    wait: (seconds: number) => {
      nowMs += seconds * 1_000;
    },
    breakTopic: () => {
      isAway = true;
    },
  };
}

test('the wake at the end of a pause is scheduled before the pause is written', async () => {
  const { pause, done, row } = world();

  await pause({ forSeconds: 60 });

  expect(done[0]).toBe('QueueWorkDetected at 2026-01-01T00:01:00.000Z');
  expect(done).toHaveLength(2);
  expect((await row()).paused).toEqual({
    ...{ by: 'operator', reason: 'paused by an operator' },
    ...{ since: '2026-01-01T00:00:00.000Z', until: '2026-01-01T00:01:00.000Z' },
  });
});

test('a wake is turned away until the pause has ended, and then starts a drain without it', async () => {
  const { pause, gate, row, wait } = world();
  await pause({ forSeconds: 60 });

  wait(54);
  expect(await wake(gate, queue)).toBe('paused');
  // The clock of the topic may be ahead.
  wait(4);
  expect(await wake(gate, queue)).toBe('started');

  expect((await row()).paused).toBeUndefined();
});

test('an unavailable topic does not make a pause fail', async () => {
  const { pause, row, breakTopic } = world();
  breakTopic();

  await pause({ forSeconds: 60 });

  expect((await row()).paused?.until).toBe('2026-01-01T00:01:00.000Z');
});

test('a pause without an end publishes nothing, and its repeat writes nothing', async () => {
  const { pause, done, wait, row } = world();
  await pause({ reason: 'audit' });
  wait(1);
  await pause({ reason: 'audit' });
  await pause({});

  expect(done).toHaveLength(1);
  expect((await row()).paused?.since).toBe('2026-01-01T00:00:00.000Z');
});

test.each<[string, Parameters<ReturnType<typeof world>['pause']>[0], string | undefined]>([
  ['of an operator stays', {}, undefined],
  ['of an operator with an end stays', { forSeconds: 60 }, '2026-01-01T00:01:00.000Z'],
  ['for the same reason gets the new end', { reason: 'deployment', forSeconds: 60 }, '2026-01-01T00:10:01.000Z'],
])('unlessPaused: a pause %s', async (_what, present, until) => {
  const { pause, row, wait } = world();
  await pause(present);
  wait(1);

  await pause({ reason: 'deployment', forSeconds: 600, unlessPaused: true });

  expect((await row()).paused?.until).toBe(until);
});

test('unlessPaused: a wish without a reason does not replace the pause for another reason', async () => {
  const { pause, row } = world();
  await pause({ reason: 'audit' });

  await pause({ forSeconds: 60, unlessPaused: true });

  expect((await row()).paused).toMatchObject({ reason: 'audit' });
});

test('a pause replaces that of the circuit, and has another name', async () => {
  const { pause, gate, row } = world();
  const since = '2025-12-31T23:00:00.000Z';
  await changeGate(gate.table, queue, () => ({ paused: { by: 'circuit', reason: 'audit', since } }));

  await pause({ reason: 'audit' });

  await expect(resumeGate(gate, queue, since)).rejects.toMatchObject({ type: 'conflict' });
  expect((await row()).paused).toMatchObject({ by: 'operator' });
});

test('a resume that names a pause which has ended meanwhile ends nothing, and wakes the queue', async () => {
  const { pause, gate, row, wait } = world();
  await pause({ forSeconds: 60 });
  wait(60);

  await resumeGate(gate, queue, '2025-12-31T23:00:00.000Z');

  expect(await row()).toMatchObject({ status: 'draining', generation: 1 });
});
