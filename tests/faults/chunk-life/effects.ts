/** The effects of a call on the world, and its answers. */
import type { OutcomeHeader } from '../../../shared/contract/outcome.ts';
import type { Answer, Call, Refusal } from '../explorer/programs.ts';
import { knownTableEffect } from '../explorer/table-stub.ts';
import type { Whim } from './handler.ts';
import { type Budget, ledgerOf, type Message, spend, type World } from './world.ts';

export interface Effect {
  label: string;
  world: World;
  answer: Answer;
}

/** Data read by `blob.get` never changes, so the time of the read has no effect and is not a separate step. */
export const isImmediate = ({ name }: Call): boolean => name === 'blob.get';

/** All possible results of one call. */
export function effectsOf(world: World, call: Call): Effect[] {
  const { name, args } = call;
  const table = knownTableEffect(world.rows, call);
  if (table) return withEcho({ label: name, world: { ...world, rows: table.rows }, answer: table.answer }, name, args);
  if (name === 'process') return runs(world);
  if (name === 'gate') return gates(world);
  if (name === 'fresh') return [{ label: name, world: { ...world, put: world.put + 1 }, answer: { value: world.put } }];
  if (name === 'believe') return beliefs(world, String(args[0]));
  if (name === 'announce') return [{ label: name, world: { ...world, announced: 1 }, answer: { value: null } }];
  if (name === 'announceDead') return [{ label: name, world: withDead(world, args), answer: { value: null } }];
  const [service, operation] = name.split('.');
  const effect =
    service === 'blob' ? blobEffect(world, String(operation), args) : queueEffect(world, String(operation), args);
  return withEcho({ label: name, ...effect }, name, args);
}

/** The batch state that a worker has read. Only a mutant that caches `paused` uses it. */
function beliefs(world: World, state: string): Effect[] {
  const fresh = { label: `believes ${state}`, world, answer: { value: state } };
  if (state === 'paused') return [{ ...fresh, world: { ...world, seenPaused: true } }];
  return world.seenPaused === true
    ? [fresh, { label: 'believes paused', world, answer: { value: 'paused' } }]
    : [fresh];
}

/** The topic's duplicate detection recognizes an event by its id. */
const withDead = (world: World, [id, items]: readonly unknown[]): World => ({
  ...world,
  announcedDead: { ...world.announcedDead, [String(id)]: Number(items) },
});

/**
 * If the answer to a conditional write is lost, the SDK repeats it, and the repeat is refused because of its own
 * effect.
 */
function withEcho(effect: Effect, name: string, args: readonly unknown[]): Effect[] {
  const { world, answer, label } = effect;
  const labelled = 'status' in answer ? { ...effect, label: `${label} → ${answer.status}` } : effect;
  const echo = echoOf(name, args);
  if (world.budget.echo === 0 || 'status' in answer || echo === undefined) return [labelled];
  return [labelled, { label: `${label}, answer lost → ${echo.status}`, world: spend(world, 'echo'), answer: echo }];
}

function echoOf(name: string, args: readonly unknown[]): Refusal | undefined {
  if (name === 'blob.put') return args[3] === true ? { status: 409 } : undefined;
  if (name === 'queue.delete' || name === 'queue.update') return RECEIPT_DEAD;
  if (name !== 'table.write') return undefined;
  const [[kind] = ['']] = args[0] as [string][];
  if (kind === 'create') return { status: 409 };
  return kind === 'update' ? { status: 412 } : undefined;
}

function runs(world: World): Effect[] {
  const as = (whim: Whim | 'busy', next = world): Effect => ({
    label: `process ${whim}`,
    world: next,
    answer: { value: whim },
  });
  const spending = (kind: keyof Budget, whim: Whim | 'busy'): Effect[] =>
    world.budget[kind] === 0 ? [] : [as(whim, spend(world, kind))];
  const isCancelled = world.budget.stop > 0 && ledgerOf(world.rows).batch.state === 'cancelling';
  return [
    as(0),
    ...spending('whim', 1),
    ...(isCancelled ? spending('stop', 'cancelled') : []),
    ...spending('leave', 'returned'),
    ...spending('busy', 'busy'),
  ];
}

/** A drain holds the gate while one of its workers runs, and may hold it without one. */
function gates(world: World): Effect[] {
  const as = (status: string): Effect => ({ label: `gate ${status}`, world, answer: { value: status } });
  return world.actors.some(({ role }) => role === 'worker') ? [as('draining')] : [as('idle'), as('draining')];
}

type Outcome = Omit<Effect, 'label'>;

function blobEffect(world: World, operation: string, [path, body, metadata, createOnly]: readonly unknown[]): Outcome {
  const key = String(path);
  const found = world.blobs[key];
  if (operation === 'put') {
    if (found && createOnly === true) {
      const isLost = world.once && finishedIn(metadata) > 0 && finishedIn(found.metadata) === 0;
      return { world: isLost ? { ...world, broken: LOST_WORK } : world, answer: { status: 409 } };
    }
    const blob = { body: String(body), metadata: metadata as Record<string, string> };
    return { world: { ...world, blobs: { ...world.blobs, [key]: blob } }, answer: { value: {} } };
  }
  if (!found) return { world, answer: { status: 404 } };
  if (operation === 'delete') {
    const { [key]: _deleted, ...blobs } = world.blobs;
    return { world: { ...world, blobs }, answer: { value: {} } };
  }
  const bytes = Buffer.from(found.body, 'base64');
  if (operation === 'properties')
    return { world, answer: { value: { metadata: found.metadata, contentLength: bytes.length, etag: '1' } } };
  const [offset, length] = [Number(body), metadata === null ? bytes.length : Number(metadata)];
  return { world, answer: { value: bytes.subarray(offset, offset + length).toString('base64') } };
}

const LOST_WORK = 'finished items are dropped: somebody else had ended their chunk while it ran';

/** Number of items that an outcome ends, according to its header. */
function finishedIn(metadata: unknown): number {
  const { outcome } = metadata as { outcome?: string };
  if (outcome === undefined) return 0;
  const { counts } = JSON.parse(outcome) as OutcomeHeader;
  return counts.succeeded + counts.dead;
}

const RECEIPT_DEAD: Refusal = { status: 404, code: 'MessageNotFound' };

function queueEffect(world: World, operation: string, args: readonly unknown[]): Outcome {
  const name = String(args[0]);
  const messages = world.queues[name] ?? [];
  if (operation === 'put') {
    const message = { id: `m${world.put}`, text: String(args[1]), deliveries: 0, receipt: 0, held: false };
    return { world: { ...withQueue(world, name, [...messages, message]), put: world.put + 1 }, answer: { value: {} } };
  }
  const [, id, receipt, text, seconds] = args;
  const message = messages.find((each) => each.id === id);
  // Azure returns this error for any invalid receipt.
  if (String(message?.receipt) !== receipt || !message) return { world, answer: RECEIPT_DEAD };
  const others = messages.filter((each) => each !== message);
  if (operation === 'delete') return { world: withQueue(world, name, others), answer: { value: {} } };
  const next: Message = {
    ...message,
    text: text === null ? message.text : String(text),
    receipt: message.receipt + 1,
    held: Number(seconds) >= 300,
  };
  return { world: withQueue(world, name, [...others, next]), answer: { value: String(next.receipt) } };
}

export const withQueue = (world: World, name: string, messages: readonly Message[]): World => ({
  ...world,
  queues: { ...world.queues, [name]: messages },
});
