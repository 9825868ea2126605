import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '../core.ts';
import type { Work } from '../dispatch/dispatcher.ts';
import { toError } from '../errors.ts';
import { runEpisode } from './episode.ts';

const redeliveryDelayMs = 100;
const longEpisodeMs = 5;

/** Creates the queue of episodes, keyed by instance id. */
export function createOrchestrationWork(core: Core): Work<string> {
  return {
    due: (now, limit) =>
      core.controlQueue.ready(now, limit + core.rejected.size).filter((instanceId) => !core.rejected.has(instanceId)),
    nextDueAt: (now) => core.controlQueue.nextDueAt(now),
    run: async (instanceId, invoke) => {
      try {
        const begin = performance.now();
        await runEpisode(core, instanceId, invoke);
        await delayNextEpisode(core, instanceId, performance.now() - begin);
      } catch (thrown: unknown) {
        if (core.isClosed()) return;
        core.options.log('error', `An episode of instance '${instanceId}' will run again: ${toError(thrown).message}`);
        await delay(redeliveryDelayMs);
      }
    },
  };
}

/**
 * Delays the next episode of a fan-out by the duration of this one, so that it processes many completions. An episode costs
 * the whole history. One episode per completion would be quadratic: 5,000 activities took 11 s.
 */
async function delayNextEpisode(core: Core, instanceId: string, tookMs: number): Promise<void> {
  if (tookMs > longEpisodeMs && core.tasks.countOpen(instanceId) > 1) await delay(tookMs);
}
