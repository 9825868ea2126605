const IDLE_DAY =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the title as its file writes it
  'tests/integration/idle/idle-day.test.ts: does at most ${PUBLISHED_OPERATIONS} operations per day without work, with a month of batches in its tables';

/** The tests that show each row of docs/features.md: file and title. */
export const FEATURE_TESTS: Readonly<Record<string, readonly string[]>> = {
  A1: [
    'tests/unit/intake/store/write-payload.test.ts: writes a small payload with one Put, with an index that finds every chunk',
  ],
  A2: ['tests/unit/gate/planning/plan.test.ts: a receive is limited by %s'],
  A3: ['tests/unit/drain/backoff.test.ts: after $idleCount empty receives, with random $random: $delay ms'],
  A4: [
    IDLE_DAY,
    'tests/unit/events/on-events.test.ts: each queue of a delivery is woken once',
    'tests/integration/stack.test.ts: processes a batch from upload to report',
  ],
  A5: [IDLE_DAY],
  A6: [
    'tests/unit/gate/policy.test.ts: %i waiting: %i tasks',
    'tests/unit/gate/planning/task-limit.test.ts: after a minute the throughput is within a tenth of that of the best number of tasks',
  ],
  A7: ['tests/integration/api/operator/queues.test.ts: shows the data of the gate, and measures on request'],
  A8: [
    'tests/integration/sweep/batch-events.test.ts: are published when an operator pauses and resumes, also after the topic was unavailable',
    'tests/unit/gate/finish-wave.test.ts: publishes how often it was found empty in a row, with the generation of the drain',
    'tests/unit/contract/events.test.ts: ignores an event of a later type, but not one without a type or with a later version',
  ],
  A9: [
    'tests/integration/pipeline/two-accounts.test.ts: a batch of account %s drains only there, and its wakes cost the app of account %s no operation',
    'tests/unit/queues/enqueue.test.ts: a wake contains how many items and decoded bytes were put on its queue, without refused ones',
  ],
  A10: [
    'tests/unit/queues/messages.test.ts: readable messages are read even if others are unreadable',
    'tests/integration/failures/outage.test.ts: opens the circuit, charges no attempts, and the drain continues by itself after the outage',
  ],
  A11: [
    'tests/unit/storage/policies/retry-limits.test.ts: before try %i, chance %d waits %i ms: exponential, full jitter, 10 s at most',
    'tests/unit/gate/planning/task-limit.test.ts: throttling halves the tasks',
    'tests/unit/queues/queue-of.test.ts: batches of one chunk are spread evenly over %i queues of a lane',
  ],
  A12: [
    'tests/unit/gate/planning/planner.test.ts: with more instances the limit is higher, so that they are used and others are added',
    'tests/integration/cli/sluice.test.ts: measures the load of the instances and the response time of storage',
  ],
  A13: [
    'tests/unit/cost/price.test.ts: results in the figure of %s for %s: %i polls per day, times %i',
    'tests/integration/cost/receipt.test.ts: for several batches at the same time, and a sweep',
  ],
  A14: [
    'tests/unit/gate/planning/planner.test.ts: a wave follows the policy that is stored when it is planned',
    'tests/unit/drain/slice.test.ts: a task waits between receives, also after the last one of its quota, and does not count that as work',
  ],
  A15: [
    'tests/integration/sweep/notify-from.test.ts: can be measured, started and stopped, and no upload publishes a wake event',
  ],
  A16: ['tests/integration/sweep/notify-from.test.ts: makes uploads publish a wake event only from this depth on'],
  A17: [
    'tests/integration/pipeline/events.test.ts: $name receives only the events of its filter',
    'tests/integration/examples/subscriber.test.ts: does not complete an event whose handler fails, and handles it when it is redelivered',
  ],
  A18: [
    "tests/unit/drain/instance-load.test.ts: CPU time is a share of all cores, and event loop time is a share of the slice's duration",
    'tests/unit/gate/planning/load-simulation.test.ts: responds faster and does not throttle if its response times are used, for the same items',
  ],
  B1: [
    'tests/unit/contract/names.test.ts: the name of a queue contains workload, lane and index',
    'tests/unit/queues/enqueue.test.ts: a queue is created when it is first used',
  ],
  B2: [
    'tests/unit/queues/enqueue.test.ts: every reference is put without expiry before its queue is woken, and each queue is woken once',
  ],
  B3: ['tests/unit/gate/gate.test.ts: an idle gate is acquired for the next generation, and its drain is started'],
  B4: [
    'tests/integration/failures/handlers.test.ts: Reject becomes a dead letter immediately, a first failure is retried, a permanent one uses up its attempts',
  ],
  B5: [
    'tests/unit/bench/report/results.test.ts: compares small batches, wakes and the start of the stack with their targets',
    'tests/unit/events/on-events.test.ts: each queue of a delivery is woken once',
  ],
  C1: ['tests/integration/sweep/walk-through.test.ts: step 7: no message is lost, and none counts twice'],
  C2: [
    'tests/unit/intake/store/write-payload.test.ts: writes a small payload with one Put, with an index that finds every chunk',
    'tests/unit/processing/publish/publish-results.test.ts: many ends are split into messages below the limit, and the first one contains the operations',
  ],
  C3: [
    'tests/unit/processing/outcome/outcome-store.test.ts: the first outcome of a chunk counts; a second writer continues with it',
  ],
  C4: ['tests/unit/gate/planning/plan.test.ts: tasks are limited by %s'],
  C5: [
    'tests/integration/failures/lanes.test.ts: a batch of the high lane overtakes a bulk batch that has more work than there are tasks',
    'tests/integration/failures/pools.test.ts: the work of one does not wait for the other, which is overloaded',
  ],
  C6: [
    'tests/integration/pipeline/side-by-side.test.ts: serves producers and consumers of two versions and technologies, and every batch is exact',
  ],
  C7: ['tests/unit/contract/frame.test.ts: is refused if any bit is flipped'],
  C8: [
    'tests/integration/workloads/media.test.ts: images in a container become thumbnails, rows and a report, and the receipt contains the operations of the handlers',
  ],
  C9: [
    'tests/integration/commands/clear.test.ts: cancels the waiting items, stores an outcome of every item, and deletes the messages',
  ],
  C10: [
    'tests/integration/api/items.test.ts: shows the state of every item, with its id, failed attempts and latest failure',
    'tests/integration/workloads/media.test.ts: images in a container become thumbnails, rows and a report, and the receipt contains the operations of the handlers',
  ],
  C11: [
    "tests/integration/examples/publish.test.ts: is sent again after the server's retry-after, with the same bytes and key",
    'tests/integration/pipeline/idempotency.test.ts: a producer outside the cloud can rerun its script at any point, and gets one batch and its report',
  ],
  Packages: [
    'tests/integration/package/package.test.ts: declares its entry, and contains the licence of every package in it',
  ],
  Ingest: ['tests/integration/stack.test.ts: processes a batch from upload to report'],
  Wake: ['tests/unit/events/on-events.test.ts: each queue of a delivery is woken once'],
  Drain: [
    'tests/unit/drain/drain-queue.test.ts: after five waves the history is cut, and the drain continues with the next wave',
    'tests/unit/gate/finish-wave.test.ts: is released, and the event QueueEmpty is published',
  ],
  Deploy: [
    'tests/unit/infra/deployment.test.ts: sends only properties that were checked against the official type definitions',
    'tests/unit/infra/scripts/deploy-docs.test.ts: are valid shell commands: %s, %#',
    'tests/unit/infra/scripts/publish.test.ts: repeats a deployment that storage refuses until the role is effective',
  ],
  'Run locally': [
    'tests/integration/stack.test.ts: processes a batch from upload to report',
    'tests/integration/dev/loop.test.ts: npm start runs a copy of the build, and restarts an instance that is killed with the same code',
  ],
};
