import { createRequire } from 'node:module';
import type { OrchestrationContext } from 'durable-functions';
import { expect, test } from 'vitest';
import { decideEpisode } from '../../../src/durable/episodes/episode-outcome.ts';
import { readReturnedAnswer } from '../../../src/durable/episodes/orchestrator-answer.ts';
import { EventType, type HistoryEvent, historyEvent } from '../../../src/durable/history/history.ts';

interface TestingUtils {
  createOrchestrator(handler: unknown): (input: unknown, context: unknown) => Promise<unknown>;
  DummyOrchestrationContext: new () => unknown;
}
const { createOrchestrator, DummyOrchestrationContext }: TestingUtils = createRequire(import.meta.url)(
  'durable-functions/lib/src/util/testingUtils',
);

const start = Date.UTC(2030, 0, 1);
const dayMs = 24 * 60 * 60_000;

const orchestrator = createOrchestrator(function* (context: OrchestrationContext): Generator<unknown, unknown> {
  yield context.df.createTimer(new Date(start + 20 * dayMs));
  return yield context.df.callActivity('after');
});

async function decide(history: HistoryEvent[]) {
  const trigger = {
    ...{ history, input: null, instanceId: 'one', isReplaying: false, upperSchemaVersion: 1, upperSchemaVersionNew: 3 },
    maximumShortTimerDuration: '6.00:00:00',
    longRunningTimerIntervalDuration: '3.00:00:00',
  };
  const state = await orchestrator(JSON.parse(JSON.stringify(trigger)), new DummyOrchestrationContext());
  const outcome = decideEpisode('long', readReturnedAnswer({ json: JSON.stringify(state) }), history, () => true);
  return outcome.kind === 'running' ? outcome.decisions : [];
}

test('the library and the action replay assign the same ids to the pieces of a long timer', async () => {
  const history = [historyEvent(EventType.OrchestratorStarted, start), historyEvent(EventType.ExecutionStarted, start)];
  const pieces: number[] = [];
  for (let step = 0; step < 20; step++) {
    const [next] = await decide(history);
    if (next?.kind !== 'timer') break;
    pieces.push((next.fireAt - start) / dayMs);
    history.push(
      historyEvent(EventType.TimerCreated, next.fireAt, { EventId: next.id }),
      historyEvent(EventType.OrchestratorStarted, next.fireAt),
      historyEvent(EventType.TimerFired, next.fireAt, { TimerId: next.id }),
    );
  }
  expect(pieces).toEqual([3, 6, 9, 12, 15, 20]);
  expect(await decide(history)).toEqual([{ kind: 'activity', id: 6, name: 'after', input: undefined }]);
});
