/** The effects of an actor's call on the world, and its answers: usually one possibility, and more with faults. */

import { type GateRow, presentPause } from '../../../shared/gate/gate-row.ts';
import { NO_REASON } from '../../../shared/pauses.ts';
import type { Answer, Call } from '../explorer/programs.ts';
import { knownTableEffect } from '../explorer/table-stub.ts';
import { VISIBILITY_SECONDS } from './programs.ts';
import { type Actor, gateOf, type Message, type World } from './world.ts';

export interface Effect {
  label: string;
  world: World;
  /** The change of the actor that made the call. */
  actor?: Partial<Actor>;
  answer: Answer;
  /** An instance that was started, and needs its first actor. */
  started?: { id: string; wakes: number };
}

const OK: Answer = { value: null };

/** All possible results of one call. */
export function effectsOf(world: World, actor: Actor, call: Call): Effect[] {
  const table = knownTableEffect(world.rows, call);
  if (table) return tableEffects(world, actor, call, table);
  const one = (effect: Partial<Effect>): Effect[] => [{ label: call.name, world, answer: OK, ...effect }];
  switch (call.name) {
    case 'put':
      return one({ world: { ...world, messages: [...world.messages, { at: 'visible', deliveries: 0 }] } });
    case 'publish':
      return published(world, call.args[0] as number | undefined);
    case 'depth':
      return one({
        actor: { wakes: gateOf(world.rows).wakes ?? 0 },
        answer: { value: world.messages.filter(({ at }) => at !== 'gone').length },
      });
    case 'startNew':
      return withRuntime(world, actor, startNew(world, call.args as [string, number, number]));
    case 'getStatus':
      return withRuntime(
        world,
        actor,
        one({ answer: { value: world.instances[String(call.args[0])]?.status ?? null } }),
      );
    case 'receive':
      return received(world, actor);
    case 'delete':
      return one(deleted(world, actor));
    default:
      throw new Error(`Nobody answers "${call.name}".`);
  }
}

function tableEffects(
  world: World,
  actor: Actor,
  call: Call,
  { rows, answer }: { rows: World['rows']; answer: Answer },
): Effect[] {
  const label = 'status' in answer ? `${call.name} → ${answer.status}` : call.name;
  const next = { ...world, rows, ...brokenBy(world, actor, rows) };
  const effects: Effect[] = [{ label, world: next, answer }];
  const [[kind] = ['']] = (call.name === 'table.write' ? call.args[0] : [[]]) as [string][];
  if (world.budget.echo > 0 && 'value' in answer && (kind === 'create' || kind === 'update')) {
    const budget = { ...world.budget, echo: world.budget.echo - 1 };
    const status = kind === 'create' ? 409 : 412;
    effects.push({
      label: `${call.name}, answer lost, own retry → ${status}`,
      world: { ...next, budget },
      answer: { status },
    });
  }
  return effects;
}

/**
 * A release must fail if a wake came after the queue was measured, unless an operator has paused it: its end is a wake. A
 * deployment must not change the pause of an operator.
 */
function brokenBy(world: World, actor: Actor, rows: World['rows']): Pick<World, 'broken'> {
  const [before, after] = [gateOf(world.rows), gateOf(rows)];
  const present = presentPause(before as Pick<GateRow, 'paused'>, world.now);
  if (actor.kind === 'deployment' && present?.reason === NO_REASON && after.paused?.since !== present.since)
    return { broken: 'a deployment changed the pause of an operator' };
  const released = before.status === 'draining' && after.status === 'idle' && actor.kind === 'finishWave';
  const isPaused = after.paused?.by === 'operator';
  if (!released || isPaused || actor.wakes === undefined || actor.wakes === before.wakes) return {};
  return { broken: 'the gate was released over a newer wake' };
}

function published(world: World, at: number | undefined): Effect[] {
  const next =
    at === undefined
      ? { ...world, events: world.events + 1 }
      : { ...world, scheduled: [...world.scheduled, at].sort((a, b) => a - b) };
  const sent: Effect = { label: at === undefined ? 'publish' : 'publish for later', world: next, answer: OK };
  if (world.budget.publish === 0) return [sent];
  const budget = { ...world.budget, publish: world.budget.publish - 1 };
  return [sent, { label: 'publish fails', world: { ...world, budget }, answer: { status: 503 } }];
}

/** A running instance is refused; an ended one is started again under the same id. */
function startNew(world: World, [id, generation, wakes]: [string, number, number]): Effect[] {
  if (world.instances[id]?.status === 'Running') return [{ label: 'startNew → 409', world, answer: { status: 409 } }];
  const instances = { ...world.instances, [id]: { generation, status: 'Running' as const } };
  return [{ label: `startNew ${id}`, world: { ...world, instances }, answer: OK, started: { id, wakes } }];
}

/**
 * A call of the sweep may be refused before its effect, and the answer to a start may be lost after it. Other actors
 * have no such faults: a refused waker would end as if by a crash, with its event redelivered.
 */
function withRuntime(world: World, { kind }: Actor, effects: Effect[]): Effect[] {
  if (world.budget.runtime === 0 || kind !== 'sweeper') return effects;
  const budget = { ...world.budget, runtime: world.budget.runtime - 1 };
  const answer = { status: 503 };
  const lost = effects
    .filter(({ started }) => started !== undefined)
    .map((effect) => ({
      ...effect,
      label: `${effect.label}, answer lost`,
      world: { ...effect.world, budget },
      answer,
    }));
  return [...effects, { label: `${effects[0]?.label} is refused`, world: { ...world, budget }, answer }, ...lost];
}

function received(world: World, actor: Actor): Effect[] {
  const broken = actor.owned === false ? { broken: 'a slice that began behind the fence took a message' } : {};
  const message = world.messages.findIndex(({ at }) => at === 'visible');
  const inside = { ...actor, inside: true } as const;
  if (message < 0) return [{ label: 'receive nothing', world: { ...world, ...broken }, actor: inside, answer: OK }];
  const delivery = (world.messages[message]?.deliveries ?? 0) + 1;
  const messages = withMessage(world, message, { at: world.now + VISIBILITY_SECONDS * 1000, deliveries: delivery });
  const taken: Effect = {
    label: 'receive',
    world: { ...world, messages, ...broken },
    actor: { ...inside, lease: { message, delivery } },
    answer: { value: { message, outage: false } },
  };
  if (world.budget.outage === 0) return [taken];
  const budget = { ...world.budget, outage: world.budget.outage - 1 };
  return [
    taken,
    // The retries of an outage are new messages, so the number of messages stays the same.
    {
      label: 'receive, outage',
      world: { ...world, budget, ...broken },
      actor: inside,
      answer: { value: { message, outage: true } },
    },
  ];
}

/** A lease that another holder has now deletes nothing. */
function deleted(world: World, { lease }: Actor): Partial<Effect> {
  const found = lease && world.messages[lease.message];
  if (!lease || found?.deliveries !== lease.delivery || found.at === 'gone') return { label: 'delete → lost lease' };
  return { world: { ...world, messages: withMessage(world, lease.message, { at: 'gone', deliveries: 0 }) } };
}

export const withMessage = (world: World, index: number, message: Message): Message[] =>
  world.messages.with(index, message);
