import { AnswerLostError, serverBusy } from '../errors.ts';
import type { Store } from './store.ts';

/** The changes a client can ask for, as they are named to `fault`. */
export type Operation =
  | 'send'
  | 'schedule'
  | 'cancelScheduled'
  | 'complete'
  | 'abandon'
  | 'deadLetter'
  | 'renewLock'
  | 'receiveAndDelete'
  | 'addRule'
  | 'removeRule';

/**
 * Called round every operation. A throw in `before` fails the operation without effect, with an error clients retry;
 * a throw in `after` keeps the effect but loses the answer: the connection is dropped instead.
 */
export type Fault = (operation: Operation, phase: 'before' | 'after') => void | Promise<void>;

/** Carries an operation out; settles when its effect is committed. Each link has its own, which keeps its order. */
export type Perform = <T>(operation: Operation, apply: () => T) => Promise<T>;

function createFaultyPerform(store: Store, fault: Fault): Perform {
  let previous: Promise<unknown> = Promise.resolve();
  return async (operation, apply) => {
    const before = async () => {
      try {
        await fault(operation, 'before');
      } catch (cause) {
        throw serverBusy(`${operation} failed: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
      }
      return apply();
    };
    const applied = previous.then(before);
    previous = applied.catch(() => {});
    const result = await applied;
    await store.committed();
    try {
      await fault(operation, 'after');
    } catch (cause) {
      throw new AnswerLostError(`The answer of ${operation} is lost`, { cause });
    }
    return result;
  };
}

/** Makes the performer of one link. */
export function createPerform(store: Store, fault: Fault | undefined): Perform {
  if (fault) return createFaultyPerform(store, fault);
  // Applied at once, not after a promise: the operations of a link keep their order, and one turn's share a commit.
  return async (_operation, apply) => {
    const result = apply();
    await store.committed();
    return result;
  };
}
