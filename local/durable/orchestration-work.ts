import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from './core.ts';
import type { Work } from './dispatcher.ts';
import { toError } from './errors.ts';
import { runTurn } from './turn.ts';

const redeliveryDelayMs = 100;

/** Turns of instances, keyed by instance id. */
export function createOrchestrationWork(core: Core): Work<string> {
  return {
    due: (now, limit) =>
      core.inbox.ready(now, limit + core.left.size).filter((instanceId) => !core.left.has(instanceId)),
    nextDueAt: (now) => core.inbox.nextDueAt(now),
    run: async (instanceId) => {
      try {
        await runTurn(core, instanceId);
      } catch (thrown: unknown) {
        core.options.log('error', `A turn of instance '${instanceId}' is run again: ${toError(thrown).message}`);
        await delay(redeliveryDelayMs);
      }
    },
  };
}
