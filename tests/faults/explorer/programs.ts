/**
 * Runs real asynchronous code one effect at a time, as a pure function of its answers. A program is deterministic, so
 * its next call follows from its input and its answers so far. It runs once per such history, and the result is cached.
 * An exploration then needs no live code, only points in these histories.
 */
import { withLog } from '../../../shared/telemetry/log.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';

/** The interface of a program to the world. At each `ask`, other programs may run, or the program may die. */
export interface Asker {
  ask: (name: string, ...args: unknown[]) => Promise<unknown>;
  /** Model time; it changes only between answers. */
  now: () => number;
}
export type Program = (asker: Asker, input: never) => Promise<unknown>;

/** A call that waits for its answer. */
export interface Call {
  id: number;
  name: string;
  args: readonly unknown[];
}
/** The status of a refusal, and its error code if the code reads it. */
export type Refusal = { status: number; code?: string };
export type Answer = { value: unknown } | Refusal;
export type End = { value: unknown } | { error: string };

/** The state of a program: its open calls, or its end. The same history always results in the same point. */
export interface Point {
  id: number;
  program: string;
  /** Answers so far. */
  steps: number;
  calls: readonly Call[];
  end?: End;
}

interface Step {
  call: number;
  answer: Answer;
  now: number;
}
interface Node {
  point: Point;
  path: readonly Step[];
  children: Map<string, Node>;
  /** Also cached by the answer object, which explorers often reuse: faster than by its text. */
  byAnswer: WeakMap<Answer, Map<string, Node>>;
}

/** The error of a storage SDK, with the fields that the code reads. */
class ServiceError extends Error {
  override name = 'RestError';
  readonly statusCode: number;
  readonly code: string | undefined;
  constructor({ status, code }: Refusal) {
    super(`status ${status}`);
    this.statusCode = status;
    this.code = code;
  }
}

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Creates the cache of programs. `runs` counts how often real code ran. */
export function createPrograms(programs: Record<string, Program>) {
  const roots = new Map<string, Node>();
  const nodes: Node[] = [];
  let runs = 0;

  const visit = async (program: string, input: unknown, path: readonly Step[]): Promise<Node> => {
    runs += 1;
    const run = programs[program];
    if (!run) throw new Error(`There is no program "${program}".`);
    const point = { id: nodes.length, program, steps: path.length - 1, ...(await live(run, input, path)) };
    const node: Node = { point, path, children: new Map(), byAnswer: new WeakMap() };
    nodes.push(node);
    return node;
  };
  const inputs = new Map<Node, unknown>();
  const childOf = async (node: Node, step: Step): Promise<Node> => {
    const key = JSON.stringify(step, plainJson);
    const known = node.children.get(key);
    if (known) return known;
    const input = inputs.get(node);
    const child = await visit(node.point.program, input, [...node.path, step]);
    inputs.set(child, input);
    node.children.set(key, child);
    return child;
  };

  return {
    get runs() {
      return runs;
    },
    /** The point of a program before its first answer. */
    async start(program: string, input: unknown, now: number): Promise<Point> {
      const key = `${program} ${JSON.stringify(input)} ${now}`;
      const known = roots.get(key);
      if (known) return known.point;
      const node = await visit(program, input, [{ call: -1, answer: { value: undefined }, now }]);
      inputs.set(node, input);
      roots.set(key, node);
      return node.point;
    },
    /** The next point, after an answer to one of the open calls. */
    async answer(point: Point, step: Step): Promise<Point> {
      const node = nodes[point.id];
      if (!node) throw new Error(`There is no point ${point.id}.`);
      const known = node.byAnswer.get(step.answer) ?? new Map<string, Node>();
      if (known.size === 0) node.byAnswer.set(step.answer, known);
      const place = `${step.call} ${step.now}`;
      const child = known.get(place) ?? (await childOf(node, step));
      known.set(place, child);
      return child.point;
    },
  };
}
export type Programs = ReturnType<typeof createPrograms>;

/** An Int64 is read as a bigint, which JSON cannot represent. */
const plainJson = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);

/** Like `structuredClone`, which is many times slower for what is almost always plain data. */
function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)])) as T;
}

interface OpenCall extends Call {
  reply: (answer: Answer) => void;
  open: boolean;
}

/** Runs a program along a path of answers, and returns the calls that it waits for at the end. */
async function live(program: Program, input: unknown, path: readonly Step[]): Promise<Pick<Point, 'calls' | 'end'>> {
  const calls: OpenCall[] = [];
  const state: { now: number; end?: End } = { now: path[0]?.now ?? 0 };
  const ask = (name: string, ...args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const reply = (answer: Answer): void =>
        'value' in answer ? resolve(copyOf(answer.value)) : reject(new ServiceError(answer));
      calls.push({ id: calls.length, name, args: copyOf(args), reply, open: true });
    });
  const done = withLog(SILENT_LOG, () => program({ ask, now: () => state.now }, copyOf(input) as never)).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: String(error) }),
  );
  done.then(
    (end) => Object.assign(state, { end }),
    () => undefined,
  );
  await atRest(state, calls);
  for (const { call, answer, now } of path.slice(1)) {
    state.now = now;
    const open = calls[call];
    if (!open?.open) throw new Error(`Call ${call} is not open: the program is not deterministic.`);
    open.open = false;
    open.reply(answer);
    await atRest(state, calls);
  }
  const waiting = calls.filter(({ open }) => open).map(({ id, name, args }) => ({ id, name, args }));
  return state.end === undefined ? { calls: waiting } : { calls: waiting, end: state.end };
}

/** Runs all promise jobs; a program that waits for something else (compression in a thread) gets time for it. */
async function atRest(state: { end?: End }, calls: readonly OpenCall[]): Promise<void> {
  do await immediate();
  while (state.end === undefined && !calls.some(({ open }) => open));
}
