/** All possible steps of a world: answers to open calls, deliveries, faults, and time. */
import type { Wave } from '../../../shared/gate/planning/plan.ts';
import type { Transition } from '../explorer/explore.ts';
import type { Point, Programs } from '../explorer/programs.ts';
import { isQuiet } from './checks.ts';
import { type Effect, effectsOf } from './effects.ts';
import { faultsOf } from './faults.ts';
import type { FinishActorInput, SliceInput } from './programs.ts';
import { EARLY_MS, passTime, swept } from './time.ts';
import { type Actor, type Begin, leftover, owns, type World } from './world.ts';

/** Maximum number of wakes that are handled at the same time. */
const MAX_WAKERS = 2;
type Step = Transition<World>;

/** Creates `next` of the model. */
export function createSteps(programs: Programs) {
  const begin: Begin = async (world, kind, input, fields = {}) => {
    const point = await programs.start(kind, input, world.now);
    const owned = fields.generation === undefined ? {} : { owned: owns(world.rows, fields.generation) };
    return { ...world, actors: [...world.actors, { kind, point, input, ...owned, ...fields }] };
  };

  const slice = (world: World, instance: string, wakes: number): Promise<World> => {
    const { generation = 0 } = world.instances[instance] ?? {};
    return begin(world, 'slice', { generation, wakes }, { instance, generation });
  };

  /** The orchestration's next step after one of its activities has ended. */
  const afterActivity = (world: World, actor: Actor): Promise<World> | World => {
    const { end } = actor.point;
    const { instance = '', generation = 0 } = actor;
    const value = end && 'value' in end ? end.value : undefined;
    if (actor.zombie) return world;
    if (actor.kind === 'slice') {
      const input = { ...(actor.input as SliceInput), slice: value } as FinishActorInput;
      return begin(world, 'finishWave', input, { instance, generation });
    }
    const step = value as { next?: Wave; ended?: string };
    if (step.next !== undefined) return slice(world, instance, step.next.wakes);
    const status = step.ended === 'abandoned' ? 'Failed' : 'Completed';
    return { ...world, instances: { ...world.instances, [instance]: { generation, status } } };
  };

  /** An event is redelivered, or the orchestration retries an activity; without a fault, neither may happen. */
  const failed = (world: World, actor: Actor, error: string): Promise<World> | World => {
    if (!error.includes('503') && !world.faulty) return { ...world, broken: `${actor.kind} failed: ${error}` };
    if (actor.zombie) return world;
    if (actor.kind === 'sweeper') return world;
    if (actor.kind === 'waker') return { ...world, events: world.events + 1 };
    const { kind, input, instance = '', generation = 0 } = actor;
    return begin(world, kind, input, kind === 'publisher' ? {} : { instance, generation });
  };

  const ended = (world: World, actor: Actor): Promise<World> | World => {
    if (actor.point.end && 'error' in actor.point.end) return failed(world, actor, actor.point.end.error);
    return actor.kind === 'slice' || actor.kind === 'finishWave' ? afterActivity(world, actor) : world;
  };

  const apply = async (world: World, at: number, call: number, effect: Effect): Promise<World> => {
    const before = world.actors[at] as Actor;
    const point: Point = await programs.answer(before.point, { call, answer: effect.answer, now: world.now });
    const actor: Actor = { ...before, ...effect.actor, point };
    const others = world.actors.toSpliced(at, 1);
    let next: World = { ...effect.world, actors: point.end ? others : [...others, actor] };
    if (effect.started !== undefined) next = await slice(next, effect.started.id, effect.started.wakes);
    return point.end ? ended(next, actor) : next;
  };

  const answers = async (world: World): Promise<Step[]> => {
    const steps: Step[] = [];
    for (const [at, actor] of world.actors.entries()) {
      for (const call of actor.point.calls) {
        for (const effect of effectsOf(world, actor, call)) {
          const label = `${actor.zombie ? 'old ' : ''}${actor.kind} ${actor.generation ?? ''} ${effect.label}`;
          steps.push({ label, state: await apply(world, at, call.id, effect) });
        }
      }
    }
    return steps;
  };

  const deliveries = async (world: World): Promise<Step[]> => {
    if (world.actors.filter(({ kind }) => kind === 'waker').length >= MAX_WAKERS) return [];
    const steps: Step[] = [];
    if (world.events > 0) {
      steps.push({ label: 'deliver', state: await begin({ ...world, events: world.events - 1 }, 'waker', {}) });
    }
    const [first, ...later] = world.scheduled;
    if (first !== undefined && first - EARLY_MS <= world.now) {
      steps.push({ label: 'deliver scheduled', state: await begin({ ...world, scheduled: later }, 'waker', {}) });
    }
    return steps;
  };

  return async (world: World): Promise<Step[]> => {
    const steps = [...(await answers(world)), ...(await deliveries(world)), ...(await faultsOf(world, begin))];
    if (steps.length > 0) return steps;
    const passed = passTime(world);
    if (passed) return [{ label: 'time passes', state: passed }];
    return isQuiet(world) && leftover(world) && !world.swept ? [{ label: 'sweep', state: swept(world) }] : [];
  };
}
