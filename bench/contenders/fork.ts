import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Order as OwnOrder } from './child.ts';
import type { Done } from './measured.ts';

/** A contender's process. */
export interface Contender<Order> {
  run(order: Order): Promise<Done>;
  end(): Promise<void>;
}

/**
 * Starts a process that carries out orders. It is warm from the second order on, like the process of a function app.
 */
export function forkContender<Order extends { contender: string } = OwnOrder>(
  file = new URL('./child.ts', import.meta.url),
): Contender<Order> {
  const child = fork(file);
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
