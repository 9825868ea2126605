/**
 * The gate with one rule removed at a time. A checker that accepts all of these would prove nothing: the scenario
 * beside each must detect it. Most wrap the dependencies of the real code, which needs no hook for it.
 */

import type { Publish } from '../../../shared/events/publish.ts';
import type { FinishWaveDeps } from '../../../shared/gate/finish-wave.ts';
import { finishWave } from '../../../shared/gate/finish-wave.ts';
import { type GateDeps, wake } from '../../../shared/gate/gate.ts';
import { gateRowKey, SILENCE_MS } from '../../../shared/gate/gate-row.ts';
import { changeGate, readGate, writeGate } from '../../../shared/gate/gate-store.ts';
import { isDead } from '../../../shared/gate/heartbeat.ts';
import { pauseGate } from '../../../shared/gate/pause.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { tableOf } from '../explorer/table-stub.ts';
import { type Parts, QUEUE } from './programs.ts';
import type { Scenario } from './run.ts';

export interface Mutant {
  name: string;
  parts: Partial<Parts>;
  scenario: Scenario;
  finds: RegExp;
  /** Judges only the final result, and ignores violations of single steps. */
  blind?: true;
}

type Columns = Record<string, unknown>;
const iso = (ms: number): string => new Date(ms).toISOString();

/** A table whose gate rows are read through `view`. */
function seen(table: Table, view: (row: Columns) => Columns): Table {
  const getEntity = async (partition: string, row: string): Promise<Columns> => {
    const entity = (await table.getEntity(partition, row)) as Columns;
    return row === gateRowKey(QUEUE) ? view(entity) : entity;
  };
  return { ...table, getEntity } as unknown as Table;
}

/**
 * The gate as read by a waker that does not know "no heartbeat yet": it looks like a drain that has just sent a
 * heartbeat.
 */
const asIfAlive = (deps: GateDeps, status: GateDeps['status']): GateDeps => ({
  ...deps,
  status,
  table: seen(deps.table, (row) => (row.aliveUntil === '' ? { ...row, aliveUntil: iso(deps.now()) } : row)),
});

/** Reads no heartbeat, and reads every drain as if it had begun ten minutes earlier. */
const impatient = (deps: GateDeps): Table =>
  seen(deps.table, (row) => ({
    ...row,
    aliveUntil: '',
    acquiredAt: iso(Date.parse(String(row.acquiredAt)) - SILENCE_MS),
  }));

/** Gives the gate of a drain that was not started to the next wake immediately. */
async function sweepThatReleases(deps: GateDeps): Promise<void> {
  let failed = false;
  const start: GateDeps['start'] = (gate) =>
    deps.start(gate).catch(() => {
      failed = true;
    });
  await wake({ ...deps, start }, QUEUE);
  if (failed) await changeGate(deps.table, QUEUE, () => ({ status: 'idle' }));
}

/** Counts the wake again after each lost take-over, and so changes the row during the update of the other waker. */
async function wakeThatCountsAgain(deps: GateDeps): Promise<void> {
  for (;;) {
    const { row, etag } = await readGate(deps.table, QUEUE);
    if (row.status === 'idle' || row.generation === 0) return void (await wake(deps, QUEUE));
    const counted = { ...row, wakes: row.wakes + 1 };
    if (!(await writeGate(deps.table, counted, etag))) continue;
    const held = await readGate(deps.table, QUEUE);
    if (held.row.aliveUntil === '' && deps.now() <= Date.parse(held.row.acquiredAt)) return deps.start(held.row);
    if (!(await isDead(deps, held.row))) return;
    const generation = row.generation + 1;
    const taken = { ...held.row, generation, instanceId: `drain-${QUEUE}-${generation}`, wakes: 0, aliveUntil: '' };
    if (await writeGate(deps.table, { ...taken, acquiredAt: iso(deps.now()) }, held.etag)) return deps.start(taken);
  }
}

/** Delays scheduled wakes until the gate has been written. */
function publishAfterRelease(deps: FinishWaveDeps): FinishWaveDeps {
  const held: (() => Promise<void>)[] = [];
  const updateEntity = async (...args: Parameters<Table['updateEntity']>) => {
    const answer = await deps.gate.table.updateEntity(...args);
    for (const send of held.splice(0)) await send();
    return answer;
  };
  return {
    ...deps,
    gate: { ...deps.gate, table: { ...deps.gate.table, updateEntity } },
    publish: async (...event) => {
      if (event[2]?.at === undefined) await deps.publish(...event);
      else held.push(() => deps.publish(...event));
    },
  };
}

const finishDepthFirst: Parts['finishWave'] = async (deps, input) => {
  const depth = await deps.depthOf(QUEUE);
  return finishWave({ ...deps, depthOf: async () => depth }, input);
};

/** Treats every wake as one from before the wave. */
const finishWhateverCame: Parts['finishWave'] = (deps, input) =>
  finishWave(deps, { ...input, wave: { ...input.wave, wakes: Number.POSITIVE_INFINITY } });

/** Writes the gate before the wake at the end of the pause is scheduled. */
const pauseBeforeWake: Parts['pause'] = async (deps, ...request) => {
  const events: Parameters<Publish>[] = [];
  await pauseGate({ ...deps, publish: async (...event) => void events.push(event) }, ...request);
  for (const event of events) await deps.publish(...event);
};

export const MUTANTS: Mutant[] = [
  {
    name: 'wakes read after the depth: a release over a newer wake',
    parts: { finishWave: finishDepthFirst },
    scenario: { publishers: 2 },
    finds: /newer wake/,
  },
  {
    name: 'wakes read after the depth: what comes of it',
    parts: { finishWave: finishDepthFirst },
    scenario: { publishers: 2 },
    blind: true,
    finds: /lost wake/,
  },
  {
    name: 'notify before put',
    parts: {
      publisher: async ({ ask }) => {
        await ask('publish');
        await ask('put');
      },
    },
    scenario: { publishers: 1 },
    finds: /lost wake/,
  },
  {
    name: 'an instance that is missing is taken over at once',
    parts: {
      wake: (deps) =>
        wake(
          asIfAlive(deps, async (id) => (await deps.status(id)) ?? 'Terminated'),
          QUEUE,
        ),
    },
    scenario: { publishers: 2 },
    finds: /two drains/,
  },
  {
    name: 'a drain that never sent a heartbeat gets a new generation, not its own start again',
    parts: {
      wake: (deps) =>
        wake(
          asIfAlive(deps, async () => 'Terminated'),
          QUEUE,
        ),
    },
    scenario: { publishers: 2 },
    finds: /two drains/,
  },
  {
    name: 'a drain that never sent a heartbeat is trusted',
    parts: {
      wake: (deps) =>
        wake(
          asIfAlive(deps, async () => 'Running'),
          QUEUE,
        ),
    },
    scenario: { publishers: 1, budget: { crash: 1 } },
    finds: /lost wake/,
  },
  {
    name: 'a lost take-over counts the wake again',
    parts: { wake: wakeThatCountsAgain },
    scenario: { publishers: 0, deadDrain: { events: 2 } },
    finds: /livelock/,
  },
  {
    name: 'a wave that one instance crash slows down is taken for dead',
    parts: { wake: (deps) => wake({ ...deps, table: impatient(deps), status: async () => undefined }, QUEUE) },
    scenario: { publishers: 2, budget: { pause: 1 } },
    finds: /two drains/,
  },
  {
    name: 'the gate is written whatever its ETag',
    parts: {
      table: (asker) => {
        const table = tableOf(asker);
        const updateEntity = (entity: Columns, mode?: unknown): unknown =>
          (table.updateEntity as (...args: unknown[]) => unknown)(entity, mode, { etag: '*' });
        return { ...table, updateEntity } as unknown as Table;
      },
    },
    scenario: { publishers: 2 },
    finds: /newer wake|lost wake|two drains/,
  },
  {
    name: 'slices do not look at the gate',
    parts: { fence: async (table) => (await readGate(table, QUEUE)) as never },
    scenario: { publishers: 2, budget: { crash: 1, jump: 1 } },
    finds: /behind the fence|two drains/,
  },
  {
    name: 'a parked gate is released before its scheduled wake is sent',
    parts: { finishWave: (deps, input) => finishWave(publishAfterRelease(deps), input) },
    scenario: { publishers: 1, budget: { crash: 2 } },
    finds: /lost wake/,
  },
  {
    name: 'a queue is parked although a wake was counted since its wave was planned',
    parts: { finishWave: finishWhateverCame },
    scenario: { publishers: 3 },
    finds: /visible message behind a parked gate/,
  },
  {
    name: 'a sweep releases the gate of a drain that was not started',
    parts: { sweep: sweepThatReleases },
    scenario: { publishers: 1, budget: { runtime: 2, sweep: 1 } },
    finds: /behind the fence|two drains|lost wake/,
  },
  {
    name: 'a pause is written before the wake at its end is scheduled',
    parts: { pause: pauseBeforeWake },
    scenario: { publishers: 1, pauses: 1, budget: { crash: 1 } },
    finds: /lost wake/,
  },
  {
    name: 'a deployment pauses although an operator has',
    parts: { pause: (deps, to, wish) => pauseGate(deps, to, { ...wish, unlessPaused: false }) },
    scenario: { publishers: 0, pauses: 1, deployments: 1 },
    finds: /pause of an operator/,
  },
  {
    name: 'a deployment ends whatever pause it finds',
    parts: {
      resume: async (deps) => {
        await changeGate(deps.table, QUEUE, () => ({ paused: undefined }));
        await wake(deps, QUEUE);
      },
    },
    scenario: { publishers: 0, pauses: 1, deployments: 1 },
    finds: /pause of an operator/,
  },
  {
    name: 'a wake that comes a second before the end of a pause is turned away',
    parts: { wake: (deps) => wake({ ...deps, now: () => deps.now() - 5_000 }, QUEUE) },
    scenario: { publishers: 1, pauses: 1 },
    finds: /lost wake/,
  },
  {
    name: 'a drain releases the gate of a pause that has ended',
    parts: {
      finishWave: (deps, input) =>
        finishWave({ ...deps, gate: { ...deps.gate, now: () => deps.gate.now() - 60_000 } }, input),
    },
    scenario: { publishers: 1, pauses: 1, budget: { pause: 1 } },
    finds: /lost wake/,
  },
  {
    name: 'a probe that comes a second early is turned away',
    parts: { wake: (deps) => wake({ ...deps, now: () => deps.now() - 5_000 }, QUEUE) },
    scenario: { publishers: 1, budget: { outage: 1 } },
    finds: /lost wake/,
  },
];
