/** All possible steps of a world: answers, deliveries, crashes, redeliveries, and requests of operators. */
import { isFinished } from '../../../shared/batches/batch-row.ts';
import type { Transition } from '../explorer/explore.ts';
import type { Point, Programs } from '../explorer/programs.ts';
import { isOpen } from './checks.ts';
import { type Effect, effectsOf, isImmediate, withQueue } from './effects.ts';
import { ITEMS_QUEUE, RESULTS_QUEUE } from './handler.ts';
import type { Role } from './programs.ts';
import { type Actor, type Budget, ledgerOf, NOW, spend, type World } from './world.ts';

type Step = Transition<World>;
const CONSUMERS = [
  ['worker', ITEMS_QUEUE],
  ['collector', RESULTS_QUEUE],
] as const;
/** Requests that are possible when the batch is ready for them; a client that crashes repeats its request. */
const REQUESTS: [Role, keyof Budget][] = [
  ['canceller', 'cancel'],
  ['canceller', 'cancelPaused'],
  ['pauser', 'pause'],
  ['redriver', 'redrive'],
  ['discarder', 'discard'],
  ['resender', 'resend'],
];

/** A client repeats its request, and the next sweep follows soon. */
const COMES_AGAIN: Role[] = ['canceller', 'redriver', 'discarder', 'sweeper'];

/** Requests that open the next revision of a finished batch, for its dead letters. */
const REOPEN: Role[] = ['redriver', 'discarder'];

/** Maximum number of concurrent actors per role. */
export type Limits = Record<'worker' | 'collector' | 'resumer', number>;

/** Creates `next` of the model. */
export function createSteps(programs: Programs, limits: Limits, mortal?: readonly Role[]) {
  const begin = async (world: World, role: Role, input: unknown = {}, holds?: string): Promise<World> => {
    const point = await programs.start(role, input, NOW);
    return advance(world, { role, point, ...(holds === undefined ? {} : { holds }) });
  };

  /** Answers immediate calls, and removes an actor that has finished. */
  const advance = async (world: World, actor: Actor): Promise<World> => {
    let { point } = actor;
    for (let call = point.calls.find(isImmediate); call; call = point.calls.find(isImmediate)) {
      const [effect] = effectsOf({ ...world, budget: { ...world.budget, echo: 0 } }, call);
      point = await answer(point, call.id, effect as Effect);
    }
    if (!point.end) return { ...world, actors: [...world.actors, { ...actor, point }] };
    const refused = 'error' in point.end && /Problem|conflict/.test(point.end.error);
    return 'error' in point.end && !refused ? { ...world, broken: `${actor.role}: ${point.end.error}` } : world;
  };

  const answer = (point: Point, call: number, { answer: given }: Effect): Promise<Point> =>
    programs.answer(point, { call, answer: given, now: NOW });

  const answers = async (world: World): Promise<Step[]> => {
    const steps: Step[] = [];
    for (const [at, actor] of world.actors.entries()) {
      for (const call of actor.point.calls) {
        for (const effect of effectsOf(world, call)) {
          const point = await answer(actor.point, call.id, effect);
          const others = { ...effect.world, actors: world.actors.toSpliced(at, 1) };
          const label = `${actor.role} ${actor.holds ?? ''} ${effect.label}`;
          steps.push({ label, state: await advance(others, { ...actor, point }) });
        }
      }
    }
    return steps;
  };

  const deliveries = async (world: World): Promise<Step[]> => {
    const steps: Step[] = [];
    for (const [role, queue] of CONSUMERS) {
      if (world.actors.filter((actor) => actor.role === role).length >= limits[role]) continue;
      const messages = world.queues[queue] ?? [];
      const message = messages.find(({ held }) => !held);
      if (!message) continue;
      const { id, text } = message;
      const [deliveries, receipt] = [message.deliveries + 1, message.receipt + 1];
      const others = messages.filter((each) => each !== message);
      const taken = withQueue(world, queue, [...others, { id, text, deliveries, receipt, held: true }]);
      const input = {
        message: { messageId: id, messageText: text, popReceipt: String(receipt), dequeueCount: deliveries },
      };
      steps.push({ label: `${role} receives ${id}`, state: await begin(taken, role, input, id) });
    }
    return steps;
  };

  const requests = async (world: World): Promise<Step[]> => {
    const steps: Step[] = [];
    for (const [role, kind] of REQUESTS) {
      if (world.budget[kind] === 0) continue;
      const { batch } = ledgerOf(world.rows);
      const reopens = REOPEN.includes(role);
      if (isFinished(batch.state) !== reopens || (reopens && batch.dead === 0)) continue;
      if (kind === 'cancelPaused' && batch.state !== 'paused') continue;
      steps.push({ label: role, state: await begin(spend(world, kind), role) });
    }
    // A paused batch may be resumed at any time.
    const resuming = world.actors.filter(({ role }) => role === 'resumer').length;
    if (ledgerOf(world.rows).batch.state === 'paused' && resuming < limits.resumer)
      steps.push({ label: 'resumer', state: await begin(world, 'resumer') });
    return steps;
  };

  const crashes = async (world: World): Promise<Step[]> => {
    if (world.budget.crash === 0) return [];
    const dying = world.actors.filter(({ role }) => mortal === undefined || mortal.includes(role));
    return Promise.all(
      dying.map(async (actor) => {
        const { role, holds } = actor;
        const others = world.actors.filter((other) => other !== actor);
        const without = visible({ ...spend(world, 'crash'), actors: others }, holds);
        const again = COMES_AGAIN.includes(role) ? await begin(without, role) : without;
        return { label: `${role} ${holds ?? ''} dies`, state: again };
      }),
    );
  };

  const redeliveries = (world: World): Step[] => {
    if (world.budget.redeliver === 0) return [];
    return world.actors.flatMap(({ holds }) =>
      isHeld(world, holds)
        ? [{ label: `lease of ${holds} runs out`, state: visible(spend(world, 'redeliver'), holds) }]
        : [],
    );
  };

  return async (world: World): Promise<Step[]> => {
    const steps = [
      ...(await answers(world)),
      ...(await deliveries(world)),
      ...(await requests(world)),
      ...(await crashes(world)),
      ...redeliveries(world),
    ];
    const sweep = steps.length === 0 && world.budget.sweep > 0 && isOpen(world);
    return sweep ? [{ label: 'sweep', state: await begin(spend(world, 'sweep'), 'sweeper') }] : steps;
  };
}

const isHeld = ({ queues }: World, id: string | undefined): boolean =>
  Object.values(queues).some((messages) => messages.some((message) => message.id === id && message.held));

/** Makes a message visible again; its holder's receipt is valid until another worker receives it. */
function visible(world: World, id: string | undefined): World {
  const queues = Object.entries(world.queues).map(([name, messages]) => [
    name,
    messages.map((message) => (message.id === id ? { ...message, held: false } : message)),
  ]);
  return { ...world, queues: Object.fromEntries(queues) };
}
