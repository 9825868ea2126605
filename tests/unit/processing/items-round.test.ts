import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { ReportedOutcome } from '../../../shared/batches/apply/plan-apply.ts';
import type { OutcomeHeader } from '../../../shared/contract/outcome.ts';
import { OVER, type SliceTime, UNLIMITED } from '../../../shared/drain/slice-time.ts';
import type { WorkCounts } from '../../../shared/gate/planning/slice-result.ts';
import { createPermits, type Permits } from '../../../shared/limits/permits.ts';
import { createItemsRound, type ItemsRoundDeps } from '../../../shared/processing/items-round.ts';
import type { ChunkOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import { encodeOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import { createSharedLock, type SharedLock } from '../../../shared/processing/shared-lock.ts';
import type { ChunkJob } from '../../../shared/processing/thread/thread-task.ts';
import { NotBegunError, ThreadStartError } from '../../../shared/processing/threads/errors.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';
import { chunkJob } from '../../helpers/data/chunks.ts';
import { messageOf, serviceError } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';

const registry = createRegistry([
  defineWorkload({ name: 'billing', version: 1, item: z.unknown(), map: (item) => item }),
]);
const address = registry.queue('billing-normal-0') as QueueAddress;
const { reference, frame: payload } = chunkJob([1, 2], { workload: 'billing', version: 1 });

/** The operation that storage refuses at present. */
type Fault = { on: 'read' | 'look' | 'start' | 'write' | 'written' | 'renew' | 'collect'; error: object };

const DEADLINE = '2026-01-01T00:05:00.000Z';
const outcomeOf = (ending: 'processed' | 'cancelled', cancelled: number, results: string[]): ChunkOutcome => {
  const counts = { items: 2, succeeded: results.length, dead: 0, cancelled, retried: 0 };
  return { ...encodeOutcome({ ending, counts }, { results }), failures: 0, failure: '', ran: 2, causes: {} };
};
const DONE = outcomeOf('processed', 0, ['1', '2']);
/** One item had finished before. */
const STOPPED = outcomeOf('cancelled', 1, ['1']);

/** A worker on one message. Deliveries are counted as the service counts them. */
function world({ permits }: { permits?: Permits } = {}) {
  const stored: OutcomeHeader[] = [];
  const own: OutcomeHeader[] = [];
  let fault: Fault | undefined;
  let frame: Uint8Array | undefined = payload;
  let text = JSON.stringify(reference);
  let deliveries = 0;
  const batch: { state: string | undefined; resumes?: number; pending?: number } = { state: 'running' };
  const collected: ReportedOutcome[][] = [];
  let runs = 0;
  let deleted = 0;
  const meet = (on: Fault['on']): void => {
    if (fault?.on === on) throw fault.error;
  };
  const container = {
    getBlobClient: () => ({
      downloadToBuffer: async () => {
        meet('read');
        if (frame === undefined) throw serviceError(404);
        return Buffer.from(frame);
      },
    }),
    getBlockBlobClient: () => ({
      getProperties: async () => {
        meet('look');
        const [outcome] = stored;
        if (outcome) return { metadata: { outcome: JSON.stringify(outcome) } };
        throw serviceError(404);
      },
      upload: async (_body: Buffer, _length: number, { metadata }: { metadata: { outcome: string } }) => {
        meet('write');
        stored.push(JSON.parse(metadata.outcome) as OutcomeHeader);
        meet('written');
      },
    }),
  };
  const queue = {
    updateMessage: async (_id: string, _receipt: string, next: string | undefined) => {
      meet('renew');
      text = next ?? text;
      return { popReceipt: 'receipt' };
    },
    deleteMessage: async () => {
      deleted += 1;
    },
    sendMessage: async () => {},
  };
  const stop = new AbortController();
  const lock = createSharedLock();
  const jobs: ChunkJob[] = [];
  let whileRunning: () => unknown = () => undefined;
  const deps = {
    queues: () => queue,
    container: () => container,
    readBatch: async () => batch.state && { ...batch, deadlineAt: DEADLINE },
    running: { run: (_batch: string, run: (stop: AbortSignal) => unknown) => run(stop.signal) },
    processor: {
      process: async (job: ChunkJob) => {
        meet('start');
        runs += 1;
        jobs.push(job);
        await whileRunning();
        return job.stop?.aborted ? STOPPED : DONE;
      },
      threads: 1,
    },
    permitsOf: () => permits,
    lock,
    publish: async () => {},
    collectOutcomes: async (_batch: string, { outcomes }: { outcomes: ReportedOutcome[] }) => {
      collected.push(outcomes);
      meet('collect');
    },
    registry,
    gate: { table: memoryTable().table, now: () => 0 },
    visibilitySeconds: 300,
    onStored: (_reference: unknown, { header }: ChunkOutcome) => void own.push(header),
  } as unknown as ItemsRoundDeps;
  return {
    stored,
    /** Outcomes that the process knows to be its own. */
    own,
    batch,
    deleted: () => deleted,
    collected,
    /** The message as it is stored in the queue. */
    left: () => JSON.parse(text) as unknown,
    runs: () => runs,
    jobs,
    lock,
    missPayload: () => {
      frame = undefined;
    },
    /** The batch is cancelled while the chunk runs. */
    stopWhileRunning: () => {
      whileRunning = () => stop.abort('cancelled');
    },
    /** Another worker receives the message while the chunk runs: the next renewal is refused. */
    loseLeaseWhileRunning: () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      whileRunning = async () => {
        fault = { on: 'renew', error: serviceError(400, 'PopReceiptMismatch') };
        await vi.advanceTimersByTimeAsync(150_000);
        fault = undefined;
      };
    },
    /** Delivers the message once, while `during` lasts. */
    deliver: async (during?: Fault, time: SliceTime = UNLIMITED): Promise<WorkCounts> => {
      fault = during;
      deliveries += 1;
      const message = messageOf(text, { dequeueCount: deliveries });
      return withLog(SILENT_LOG, () => createItemsRound(deps, address)([message], time));
    },
    /** A process that crashes while it holds the message. */
    die: () => {
      deliveries += 1;
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

const BUSY = serviceError(503);
const NO_ANSWER = Object.assign(new Error('socket hang up'), { name: 'RestError' });
const FORBIDDEN = serviceError(403);
const TOO_LARGE = serviceError(413);

test.each<[string, Fault]>([
  ['a frame that cannot be read', { on: 'read', error: BUSY }],
  ['an outcome that cannot be written', { on: 'write', error: NO_ANSWER }],
  ['a missing permission', { on: 'write', error: FORBIDDEN }],
])('no chunk is killed because storage fails with %s, however often', async (_what, fault) => {
  const { deliver, stored } = world();
  for (let times = 0; times < 20; times += 1) await deliver(fault);
  expect(stored).toEqual([]);

  await deliver();

  expect(stored.map(({ ending }) => ending)).toEqual(['processed']);
});

test('no chunk is killed because no thread starts, however often, and each round reports the reason', async () => {
  const { deliver, die, stored } = world();
  const fault: Fault = { on: 'start', error: new ThreadStartError(`No\n ${'x'.repeat(1_000)}`) };
  // A chunk that may have crashed its process.
  die();
  for (let times = 0; times < 20; times += 1) {
    expect(await deliver(fault)).toMatchObject({ done: 0, startError: `No ${'x'.repeat(497)}` });
  }

  expect(await deliver()).toMatchObject({ done: 1, startError: '' });
  expect(stored.map(({ ending }) => ending)).toEqual(['processed']);
});

test('a reference of a deleted batch is deleted and counted, and nothing runs', async () => {
  const { batch, deleted, deliver, runs } = world();
  batch.state = undefined;

  expect(await deliver()).toMatchObject({ orphanedReferences: 1, ran: 0 });
  expect([runs(), deleted()]).toEqual([0, 1]);
});

test('an outcome that was stored although its answer was lost is found, and nothing runs again', async () => {
  const { deliver, runs, stored } = world();
  await deliver({ on: 'written', error: NO_ANSWER });

  await deliver();

  expect(stored.map(({ ending }) => ending)).toEqual(['processed']);
  expect(runs()).toBe(1);
});

test('an isolated chunk does not wait long for its limits, because the other chunks of its process wait for it', async () => {
  for (const permits of [createPermits(false), undefined]) {
    const { deliver, die, jobs } = world(permits === undefined ? {} : { permits });
    die();
    await deliver();
    expect(jobs.map(({ budgetMs }) => budgetMs)).toEqual([permits && 20_000]);
  }
});

test('isolated starts that a storage failure interrupted do not count', async () => {
  const { deliver, die, stored } = world();
  die();
  for (let times = 0; times < 20; times += 1) await deliver({ on: 'read', error: BUSY });

  await deliver();

  expect(stored.map(({ ending }) => ending)).toEqual(['processed']);
});

test('a redelivered chunk whose frame cannot be read does not count as started, whatever the error is', async () => {
  const { deliver, die, stored } = world();
  die();
  for (let times = 0; times < 20; times += 1) await deliver({ on: 'read', error: new TypeError('terminated') });

  await deliver();

  expect(stored.map(({ ending }) => ending)).toEqual(['processed']);
});

test('a chunk whose outcome is refused by storage is split, and not retried indefinitely', async () => {
  const { deliver, stored } = world();
  for (let times = 0; times < 3; times += 1) await deliver({ on: 'write', error: TOO_LARGE });

  await deliver();

  expect(stored.map(({ ending }) => ending)).toEqual(['split']);
});

test('the outcome of a worker that has lost its lease is stored, and counts', async () => {
  const { deleted, deliver, loseLeaseWhileRunning, runs, stored } = world();
  loseLeaseWhileRunning();

  await deliver();
  expect([stored.map(({ ending }) => ending), deleted()]).toEqual([['processed'], 0]);

  // The worker that has the message now finds the outcome, and runs nothing.
  await deliver();
  expect([stored.length, runs(), deleted()]).toEqual([1, 1, 1]);
});

test('an outcome is passed to the process that has stored it, and to no other', async () => {
  const { deliver, own, stored } = world();
  await deliver({ on: 'written', error: NO_ANSWER });
  // The next delivery finds the stored outcome, and cannot know who stored it.
  await deliver();
  expect([own, stored.length]).toEqual([[], 1]);

  const other = world();
  await other.deliver();
  expect(own).toEqual([]);
  expect(other.own).toEqual(other.stored);
});

test('a chunk that is stopped because its batch was cancelled keeps what has finished', async () => {
  const { deleted, deliver, stopWhileRunning, stored } = world();
  stopWhileRunning();

  await deliver();

  expect(stored).toMatchObject([
    { ending: 'cancelled', counts: { succeeded: 1, cancelled: 1 }, results: { items: 1 } },
  ]);
  expect(deleted()).toBe(1);
});

test('a chunk that no worker has begun is cancelled without a run', async () => {
  const { batch, deliver, runs, stored } = world();
  batch.state = 'cancelling';

  await deliver();

  expect(stored).toMatchObject([{ ending: 'cancelled', counts: { succeeded: 0, cancelled: 2 } }]);
  expect(runs()).toBe(0);
});

test('a chunk that waits for a thread while the process is being stopped is returned uncharged', async () => {
  const { deliver, stored, left, deleted } = world();

  const work = await deliver({ on: 'start', error: new NotBegunError('The process is being stopped.') });

  expect(work).toMatchObject({ received: 1, done: 0 });
  expect([stored, deleted()]).toEqual([[], 0]);
  expect(left()).toEqual({ ...reference, returned: 1 });
});

test('the error of a thread that does not start contains no folder of the machine', async () => {
  const message = "Cannot find module '/srv/app/dist/a-b/module.js' imported from file:///srv/app/dist/thread.js";

  const { startError } = await world().deliver({ on: 'start', error: new ThreadStartError(message) });

  expect(startError).toBe("Cannot find module 'module.js' imported from thread.js");
});

test('a handler receives the deadline of its batch', async () => {
  const { deliver, jobs } = world();

  await deliver();

  expect(jobs).toMatchObject([{ deadlineAt: DEADLINE }]);
});

test('a reference of a paused batch is deleted and nothing runs; the resume puts another one for its row', async () => {
  const { deliver, batch, deleted, runs, stored } = world();
  batch.state = 'paused';

  const work = await deliver();

  expect([deleted(), runs(), stored]).toEqual([1, 0, []]);
  // Otherwise, the probe of a circuit would count it as a try.
  expect(work).toMatchObject({ received: 1, done: 1, ran: 0, items: 0 });
});

test('a stored outcome is published although its batch is paused', async () => {
  const { deliver, batch, deleted, runs } = world();
  await deliver({ on: 'written', error: NO_ANSWER });
  batch.state = 'paused';

  const work = await deliver();

  expect([runs(), deleted()]).toEqual([1, 1]);
  expect(work).toMatchObject({ done: 1, items: 2 });
});

test.each(['running', 'cancelling'])(
  'a reference that was put before the last resume is deleted: its chunk has another one (%s)',
  async (state) => {
    const { deliver, batch, deleted, runs, stored } = world();
    Object.assign(batch, { state, resumes: 1 });

    await deliver();

    expect([deleted(), runs(), stored]).toEqual([1, 0, []]);
  },
);

test('the last chunk of a small batch is collected by its round, and again with the same name when its reference is delivered again', async () => {
  const { batch, deliver, collected, deleted, runs } = world();
  batch.pending = 1;

  await deliver({ on: 'collect', error: BUSY });
  expect([collected.length, deleted()]).toEqual([1, 0]);
  // The worker that collected the batch had finished it when it crashed.
  batch.state = 'completed';
  batch.pending = 0;
  await deliver();

  expect(collected.map((outcomes) => outcomes.map(({ chunk, message }) => [chunk, message]))).toEqual([
    [[reference.chunk, 'm1']],
    [[reference.chunk, 'm1']],
  ]);
  expect([runs(), deleted()]).toEqual([1, 1]);
});

test('a second reference of a finished batch is deleted, and nothing is collected for it', async () => {
  const { batch, deliver, collected, deleted } = world();
  batch.state = 'completed';
  batch.pending = 0;

  await deliver();

  expect([collected, deleted()]).toEqual([[], 1]);
});

describe('a payload', () => {
  test('that storage does not have ends its chunk', async () => {
    const { deliver, missPayload, stored } = world();
    missPayload();

    await deliver();

    expect(stored.map(({ ending }) => ending)).toEqual(['payloadMissing']);
  });

  test('that was not read because the slice seemed to be over is not missing: it is read when the chunk begins', async () => {
    const { deliver, stored } = world();
    const isOver = vi.fn(() => false).mockReturnValueOnce(true);

    await deliver(undefined, { ...UNLIMITED, isOver });

    expect(isOver).toHaveBeenCalled();
    expect(stored.map(({ ending }) => ending)).toEqual(['processed']);
  });
});

describe('a chunk that cannot begin before its slice is over', () => {
  /** Seconds are over as soon as a chunk waits. */
  const ENDING: SliceTime = { isOver: () => false, waitMs: () => 0, beginUntilMs: 7 };
  const holdLock = (lock: SharedLock) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void lock.exclusive(() => promise);
    return resolve;
  };

  test.each([
    ['', 0],
    [' and must run isolated', 1],
  ])('because another one runs isolated%s is returned uncharged, and not begun later', async (_which, deaths) => {
    const { deliver, die, left, lock, runs, stored } = world();
    for (let times = 0; times < deaths; times += 1) die();
    const release = holdLock(lock);

    expect(await deliver(undefined, ENDING)).toMatchObject({ received: 1, done: 0 });
    release();
    await setImmediate();

    expect([runs(), stored]).toEqual([0, []]);
    expect(left()).toEqual({ ...reference, returned: 1 });
    // Its next delivery is not charged for the wait either.
    await deliver();
    expect(stored.map(({ ending }) => ending)).toEqual(['processed']);
  });

  test('does not fail its round if it cannot be returned either', async () => {
    const { deliver } = world();

    expect(await deliver({ on: 'renew', error: BUSY }, OVER)).toMatchObject({ received: 1, done: 0 });
  });

  test('because no thread was free is returned uncharged, although its isolated start was counted', async () => {
    const { deliver, die, left } = world();
    die();

    await deliver({ on: 'start', error: new NotBegunError('All threads were busy.') }, ENDING);

    expect(left()).toEqual({ ...reference, returned: 1 });
  });

  test('is not counted as an isolated start if the slice is over when it gets the lock', async () => {
    const { deliver, die, left, runs } = world();
    die();
    let calls = 0;
    // The slice ends while the chunk looks for its outcome and reads its frame.
    const isOver = (): boolean => {
      calls += 1;
      return calls > 2;
    };

    await deliver(undefined, { ...UNLIMITED, isOver });

    expect([runs(), left()]).toEqual([0, { ...reference, returned: 1 }]);
  });

  test('passes the time of its slice to the processor', async () => {
    const { deliver, jobs } = world();

    await deliver(undefined, ENDING);

    expect(jobs).toMatchObject([{ waitMs: 0, beginUntilMs: 7 }]);
  });

  test('is returned without a read if the slice is over', async () => {
    const { deliver, left, runs } = world();

    await deliver({ on: 'read', error: new Error('Nothing is read.') }, OVER);

    expect([runs(), left()]).toEqual([0, { ...reference, returned: 1 }]);
  });
});
