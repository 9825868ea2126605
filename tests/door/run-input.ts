import { type Bounds, DEFAULT_BOUNDS, type HostileInput } from './input.ts';
import { type Answer, type Door, send } from './send.ts';
import { type Watched, watched } from './watch.ts';

/** The answers to an input, and its effects on the app. */
export interface Outcome extends Watched {
  answers: Answer[];
  milliseconds: number;
  /** Of the app, before and after. A process that ended has been replaced. */
  pids: readonly [before: number, after: number];
}

/** The bounds of an input. */
export const boundsOf = ({ bounds }: HostileInput): Bounds => ({ ...DEFAULT_BOUNDS, ...bounds });

/** Sends an input to the app. Rejects only if its preparation or its further requests fail. */
export async function runInput(door: Door, input: HostileInput): Promise<Outcome> {
  const { headers = {}, body, copies = 1, after } = input;
  const route = typeof input.route === 'string' ? input.route : await input.route(door);
  const bodies = Array.from({ length: copies }, (_, copy) => body?.(copy));
  const maxMs = boundsOf(input).answerMs;
  const before = door.pid();
  const startMs = performance.now();
  const { value, seen } = await watched(door, async () => {
    const answers = await Promise.all(bodies.map((each) => send(door, { route, headers, body: each, maxMs })));
    await after?.(door, answers);
    return { answers, milliseconds: performance.now() - startMs };
  });
  return { ...seen, ...value, pids: [before, door.pid()] };
}
