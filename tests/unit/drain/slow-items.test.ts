/**
 * Rounds and slices of a process with one thread, on items that take most of the time of an invocation. The clock is
 * virtual. The host ends the process if an invocation exceeds its limit; here that fails the test.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { chunkId } from '../../../shared/contract/names.ts';
import type { OutcomeHeader } from '../../../shared/contract/outcome.ts';
import { beginSeconds } from '../../../shared/drain/host-limits.ts';
import { runSlice } from '../../../shared/drain/slice.ts';
import { planWave, type Wave } from '../../../shared/gate/planning/plan.ts';
import { DEFAULT_POLICY } from '../../../shared/gate/policy.ts';
import { processClockMs } from '../../../shared/limits/process-clock.ts';
import { createItemsRound, type ItemsRoundDeps } from '../../../shared/processing/items-round.ts';
import { encodeOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import { createSharedLock } from '../../../shared/processing/shared-lock.ts';
import type { ChunkJob } from '../../../shared/processing/thread/thread-task.ts';
import { NotBegunError } from '../../../shared/processing/threads/errors.ts';
import { createSlots } from '../../../shared/slots.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';
import { chunkJob } from '../../helpers/data/chunks.ts';
import { messageOf, serviceError } from '../../helpers/data/factories.ts';
import { HOST } from '../../helpers/fakes/host-limits.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';

const ITEM_SECONDS = 400;
const TASKS = 4;

const workload = defineWorkload({
  ...{ name: 'slow', version: 1, item: z.unknown(), map: (item: unknown) => item },
  timeoutSeconds: ITEM_SECONDS,
});
const registry = createRegistry([workload]);
const address = registry.queue('slow-normal-0') as QueueAddress;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Message {
  text: string;
  visibleMs: number;
  deliveries: number;
}

/** A queue with one chunk of one item per message. */
function queueOf(chunks: number, deliveries: number) {
  const { reference } = chunkJob([1], { workload: 'slow', version: 1 });
  const messages = new Map<string, Message>();
  for (let n = 0; n < chunks; n += 1) {
    const text = JSON.stringify({ ...reference, chunk: chunkId(n) });
    messages.set(`m${n}`, { text, visibleMs: 0, deliveries });
  }
  let updates = 0;
  return {
    messages,
    updates: () => updates,
    receive: async (count: number) =>
      [...messages]
        .filter(([, { visibleMs }]) => visibleMs <= performance.now())
        .slice(0, count)
        .map(([messageId, message]) => {
          message.visibleMs = performance.now() + 300_000;
          message.deliveries += 1;
          return { ...messageOf(message.text, { dequeueCount: message.deliveries }), messageId };
        }),
    client: {
      updateMessage: async (id: string, _receipt: string, text: string | undefined, seconds: number) => {
        updates += 1;
        const message = messages.get(id) as Message;
        Object.assign(message, { text: text ?? message.text, visibleMs: performance.now() + seconds * 1_000 });
        return { popReceipt: 'receipt' };
      },
      deleteMessage: async (id: string) => void messages.delete(id),
      sendMessage: async () => {},
    },
  };
}

/** A process with one thread. `others` are the chunks of other queues that wait for it. */
function process(queue: ReturnType<typeof queueOf>) {
  const { frame } = chunkJob([1], { workload: 'slow', version: 1 });
  const outcomes = new Map<string, OutcomeHeader>();
  const slots = createSlots(1);
  const starts: string[] = [];
  const counts = { items: 1, succeeded: 1, dead: 0, cancelled: 0, retried: 0 };
  const runInThread = async ({ reference, beginUntilMs = 0 }: ChunkJob) => {
    if (processClockMs() >= beginUntilMs) throw new NotBegunError('late');
    starts.push(reference.chunk);
    await sleep(ITEM_SECONDS * 1_000);
    const encoded = encodeOutcome({ ending: 'processed', counts }, { results: ['1'] });
    return { ...encoded, failures: 0, failure: '', ran: 1, causes: {} };
  };
  const deps = {
    queues: () => queue.client,
    container: () => ({
      getBlobClient: () => ({ downloadToBuffer: async () => Buffer.from(frame) }),
      getBlockBlobClient: (name: string) => ({
        getProperties: async () => {
          const stored = outcomes.get(name);
          if (stored === undefined) throw serviceError(404);
          return { metadata: { outcome: JSON.stringify(stored) } };
        },
        upload: async (_body: Buffer, _length: number, { metadata }: { metadata: { outcome: string } }) =>
          void outcomes.set(name, JSON.parse(metadata.outcome) as OutcomeHeader),
      }),
    }),
    readBatch: async () => ({ state: 'running', deadlineAt: '2026-01-01T00:05:00.000Z' }),
    running: { run: (_batch: string, run: (stop: AbortSignal) => unknown) => run(new AbortController().signal) },
    processor: { process: (job: ChunkJob) => slots.run(() => runInThread(job), { maxWaitMs: job.waitMs }), threads: 1 },
    permitsOf: () => undefined,
    lock: createSharedLock(),
    publish: async () => {},
    registry,
    gate: { table: memoryTable().table, now: () => performance.now() },
    visibilitySeconds: 300,
    onStored: () => {},
  } as unknown as ItemsRoundDeps;
  const longest = { seconds: 0 };
  const invoke = async (wave: Wave): Promise<void> => {
    const beganMs = processClockMs();
    await runSlice(wave, {
      receive: queue.receive,
      process: createItemsRound(deps, address),
      mayContinue: async () => true,
      mustEnd: () => false,
      beginUntilMs: beganMs + beginSeconds(HOST, workload) * 1_000,
      nowMs: processClockMs,
      sleep,
      random: () => 0.5,
    });
    longest.seconds = Math.max(longest.seconds, (processClockMs() - beganMs) / 1_000);
  };
  return { invoke, longest, outcomes, starts };
}

const planOf = (depth: number): Wave =>
  planWave({
    ...{ kind: 'items', depth, wakes: 0, itemsPerReference: 1, secondsPerReference: ITEM_SECONDS },
    ...{
      taskLimit: 0,
      fedTasks: Number.POSITIVE_INFINITY,
      saturationLimit: Number.POSITIVE_INFINITY,
      room: Number.POSITIVE_INFINITY,
    },
    ...{ bulk: false, late: false, exploring: false, probe: false, sliceSeconds: 30, visibilitySeconds: 300 },
    policy: { ...DEFAULT_POLICY, capacity: TASKS },
  });

/** Runs waves until the queue is empty, with the clock of the test. */
async function drain(chunks: number, { deliveries = 0 } = {}) {
  const queue = queueOf(chunks, deliveries);
  const worker = process(queue);
  let waves = 0;
  const running = withLog(SILENT_LOG, async () => {
    while (queue.messages.size > 0) {
      const wave = planOf(queue.messages.size);
      waves += 1;
      await Promise.all(Array.from({ length: wave.tasks }, () => worker.invoke(wave)));
    }
  });
  let hasEnded = false;
  void running.finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) await vi.advanceTimersToNextTimerAsync();
  await running;
  return { ...worker, waves, updates: queue.updates(), seconds: performance.now() / 1_000 };
}

beforeEach(() => {
  vi.useFakeTimers({
    now: 0,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['', {}],
  [' that were received before and run isolated', { deliveries: 1 }],
])(
  'twelve items of 400 s%s start once each, one after the other, and no invocation exceeds its limit',
  async (_which, options) => {
    const { longest, outcomes, seconds, starts, updates, waves } = await drain(12, options);

    expect([starts.length, new Set(starts).size]).toEqual([12, 12]);
    expect([...outcomes.values()].map(({ ending }) => ending)).toEqual(Array(12).fill('processed'));
    expect(longest.seconds).toBeLessThanOrEqual(HOST.functionSeconds);
    expect(longest.seconds).toBeLessThanOrEqual(ITEM_SECONDS + beginSeconds(HOST, workload));
    // The thread is busy nearly all the time.
    expect(seconds).toBeLessThan(12 * (ITEM_SECONDS + 5));
    // Each wave returns at most one message per task, and each start costs a few renewals and at most one rewrite.
    expect(updates).toBeLessThanOrEqual(waves * (TASKS + 4));
    expect(waves).toBeLessThanOrEqual(13);
  },
);
