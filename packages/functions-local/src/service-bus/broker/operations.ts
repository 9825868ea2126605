import { AnswerLostError, serverBusy } from '../errors.ts';
import type { Store } from './store.ts';

/** The changes that a client can request, with the names that `fault` receives. */
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
 * Called before and after every operation. A throw in `before` fails the operation without effect, with an error that clients
 * retry. A throw in `after` keeps the effect, and the connection is dropped instead of answered.
 */
export type Fault = (operation: Operation, phase: 'before' | 'after') => void | Promise<void>;

/**
 * Runs an operation. Resolves when its effect is committed. Each link has its own instance, which preserves the link's order.
 */
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
      throw new AnswerLostError(`${operation}: an injected fault dropped the answer`, { cause });
    }
    return result;
  };
}

/** Creates the function that runs the operations of one link. */
export function createPerform(store: Store, fault: Fault | undefined): Perform {
  if (fault) return createFaultyPerform(store, fault);
  // Applied synchronously, so that the operations of a link keep their order and those of one tick share a commit.
  return async (_operation, apply) => {
    const result = apply();
    await store.committed();
    return result;
  };
}
