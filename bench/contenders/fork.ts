import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Done, Order } from './child.ts';

/** A contender's process. */
export interface Contender {
  run(order: Order): Promise<Done>;
  end(): Promise<void>;
}

/** Starts a process that takes orders; it is warm from the second on, as a function app's is. */
export function forkContender(): Contender {
  const child = fork(new URL('./child.ts', import.meta.url));
  const gone = once(child, 'exit');
  return {
    run: async (order) => {
      child.send(order);
      const [answer] = await Promise.race([
        once(child, 'message'),
        gone.then(([code]) => {
          throw new Error(`The process of ${order.contender} ended with ${code}.`);
        }),
      ]);
      return answer as Done;
    },
    end: async () => {
      child.disconnect();
      await gone;
    },
  };
}
