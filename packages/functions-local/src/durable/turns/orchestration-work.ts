import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '../core.ts';
import type { Work } from '../dispatch/dispatcher.ts';
import { toError } from '../errors.ts';
import { runTurn } from './turn.ts';

const redeliveryDelayMs = 100;
const longTurnMs = 5;

/** Turns of instances, keyed by instance id. */
export function createOrchestrationWork(core: Core): Work<string> {
  return {
    due: (now, limit) =>
      core.inbox.ready(now, limit + core.left.size).filter((instanceId) => !core.left.has(instanceId)),
    nextDueAt: (now) => core.inbox.nextDueAt(now),
    run: async (instanceId, invoke) => {
      try {
        const begin = performance.now();
        await runTurn(core, instanceId, invoke);
        await gather(core, instanceId, performance.now() - begin);
      } catch (thrown: unknown) {
        if (core.isClosed()) return;
        core.options.log('error', `A turn of instance '${instanceId}' is run again: ${toError(thrown).message}`);
        await delay(redeliveryDelayMs);
      }
    },
  };
}

/**
 * Lets the completions of a fan-out gather for as long as the turn took: a turn costs the whole history, so one a completion
 * would be quadratic. (5,000 activities: 11 s without.)
 */
async function gather(core: Core, instanceId: string, tookMs: number): Promise<void> {
  if (tookMs > longTurnMs && core.tasks.countOpen(instanceId) > 1) await delay(tookMs);
}
