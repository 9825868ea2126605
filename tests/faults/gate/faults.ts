/** The possible faults, within the budget. */

import { SILENCE_MS } from '../../../shared/gate/gate-row.ts';
import { emptyCounts } from '../../../shared/gate/planning/slice-result.ts';
import type { Transition } from '../explorer/explore.ts';
import type { FinishActorInput } from './programs.ts';
import { at } from './time.ts';
import type { Actor, Begin, Budget, Instance, World } from './world.ts';

type Step = Transition<World>;

/**
 * The activity of a crashed instance runs again after 60 s, and takes up to one slice: 90 s of silence are not a fault.
 */
const PAUSE_MS = 90_000;

/** Returns all possible faults of the current state; none after the final sweep, which must complete everything. */
export async function faultsOf(world: World, begin: Begin): Promise<Step[]> {
  if (world.swept) return [];
  const steps: Step[] = [];
  const { crash, jump, pause, sweep } = world.budget;
  const busy = world.actors.length > 0;
  if (crash > 0) {
    for (const [index, actor] of world.actors.entries()) steps.push(...(await crashes(world, index, actor, begin)));
  }
  if (jump > 0 && busy) {
    const later = at(spend(world, 'jump'), world.now + 3 * SILENCE_MS);
    steps.push({ label: 'the clock jumps', state: { ...later, faulty: true } });
  }
  if (sweep > 0) steps.push({ label: 'sweep', state: await begin(spend(world, 'sweep'), 'sweeper', {}) });
  if (pause > 0 && busy) steps.push({ label: '90 s pass', state: at(spend(world, 'pause'), world.now + PAUSE_MS) });
  return steps;
}

const spend = (world: World, kind: keyof Budget): World => ({
  ...world,
  budget: { ...world.budget, [kind]: world.budget[kind] - 1 },
});

async function crashes(world: World, index: number, actor: Actor, begin: Begin): Promise<Step[]> {
  const without: World = { ...spend(world, 'crash'), actors: world.actors.toSpliced(index, 1) };
  const name = `${actor.kind} ${actor.generation ?? ''}`;
  if (actor.zombie) return [{ label: `old ${name} dies`, state: without }];
  if (actor.kind === 'waker')
    return [{ label: 'waker dies, event comes back', state: { ...without, events: without.events + 1 } }];
  if (actor.kind === 'sweeper' || actor.kind === 'operator') return [{ label: `${name} dies`, state: without }];
  // After a resume without its wake, the queue waits for the wake at the end of the pause.
  if (actor.kind === 'deployment') return [{ label: `${name} dies`, state: { ...without, gaveUp: true } }];
  if (actor.kind === 'publisher')
    return [{ label: 'publisher dies and begins again', state: await begin(without, 'publisher', {}) }];
  return activityFaults({ ...without, faulty: true }, { actor, name, begin });
}

/** An activity's process dies, its orchestration is dead, or the runtime hands it out while it still runs. */
async function activityFaults(
  without: World,
  { actor, name, begin }: { actor: Actor; name: string; begin: Begin },
): Promise<Step[]> {
  const { instance = '', generation = 0, kind } = actor;
  const again = (world: World): Promise<World> => begin(world, kind, actor.input, { instance, generation });
  const old: World = { ...without, actors: [...without.actors, { ...actor, zombie: true }] };
  const steps: Step[] = [
    { label: `${name} dies and is handed out again`, state: await again(without) },
    { label: `${name} is handed out twice`, state: await again(old) },
    { label: `${name} dies, its orchestration reports Running indefinitely`, state: without },
    { label: `${name} runs on, its orchestration reports Running indefinitely`, state: old },
    { label: `${name} dies, its orchestration fails`, state: withStatus(without, instance, 'Failed') },
  ];
  if (kind === 'finishWave') {
    const input: FinishActorInput = { generation, wakes: 0, slice: NOTHING, abandon: true };
    const gaveUp = { ...without, gaveUp: true };
    steps.push({
      label: `${name} abandons`,
      state: await begin(gaveUp, 'finishWave', input, { instance, generation }),
    });
  }
  return steps;
}

const NOTHING = { ...emptyCounts(), ended: 'fault', seconds: 0 } as const;

const withStatus = (world: World, id: string, status: Instance['status']): World => {
  const instance = world.instances[id];
  return instance ? { ...world, instances: { ...world.instances, [id]: { ...instance, status } } } : world;
};
