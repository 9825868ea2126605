import type { Mutant } from './mutant.ts';

/** The end of a slice in time, and what may not follow from it. */
export const SLICES: readonly Mutant[] = [
  {
    name: 'a slice that was over continues when the reason has passed',
    file: 'shared/drain/slice-time.ts',
    find: 'hasEnded ||= mustEnd()',
    replace: 'hasEnded = mustEnd()',
    tests: ['tests/unit/drain/slice-time.test.ts'],
  },
  {
    name: 'a frame that was not read counts as missing',
    file: 'shared/processing/items-round.ts',
    find: '?? UNREAD',
    replace: "?? { kind: 'missing' as const }",
    tests: ['tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'a frame that was not read is not read when the chunk begins',
    file: 'shared/processing/decide-chunk.ts',
    find: "frame.kind === 'unread' ? readFrame(container(value.container), value) : frame;",
    replace: "frame.kind === 'unread' ? { kind: 'missing' as const } : frame;",
    tests: ['tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'a reference waits for the lock without a limit',
    file: 'shared/processing/decide-chunk.ts',
    find: 'const waitMs = round.time.waitMs();',
    replace: 'const waitMs = Number.POSITIVE_INFINITY;',
    tests: ['tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'a reference passes no limit of its wait to the threads',
    file: 'shared/processing/decide-chunk.ts',
    find: ', waitMs: time.waitMs() }',
    replace: ' }',
    tests: ['tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'a chunk waits for a thread without a limit',
    file: 'shared/processing/threads/processor.ts',
    find: '{ maxWaitMs: job.waitMs }',
    replace: '{}',
    tests: ['tests/integration/processing/processor.test.ts'],
  },
  {
    name: 'an item begins although the invocation has too little time left',
    file: 'shared/processing/thread/serve.ts',
    find: 'processClockMs() >= beginUntilMs;',
    replace: 'beginUntilMs < 0;',
    tests: ['tests/integration/processing/processor.test.ts'],
  },
  {
    name: 'a task is silent while its chunks run for minutes',
    file: 'shared/drain/dequeue-task.ts',
    find: 'const stop = keepShowingAlive(deps, input);',
    replace: 'const stop = (): void => {};',
    tests: ['tests/unit/drain/activities.test.ts'],
  },
  {
    name: 'a task that has ended still counts as alive',
    file: 'shared/drain/task-heartbeat.ts',
    find: 'return () => clearInterval(timer);',
    replace: 'return () => void timer;',
    tests: ['tests/unit/drain/activities.test.ts'],
  },
  {
    name: 'a slice whose work does not end exceeds the limit of its invocation',
    file: 'shared/drain/dequeue-task.ts',
    find: "withinTime(runTask(deps, input, beganMs), abandonSeconds(deps) * 1_000, 'A slice')",
    replace: 'runTask(deps, input, beganMs)',
    tests: ['tests/unit/drain/activities.test.ts'],
  },
  {
    name: 'an item that must run alone gets a used thread',
    file: 'shared/processing/thread/run-chunk.ts',
    find: "if (!remains && !task.acceptsUsed && sources.marked('alone').length > 0) tools.renew?.();",
    replace: '',
    tests: ['tests/integration/processing/thread-death.test.ts'],
  },
  {
    name: 'an item that runs after another one in a fresh thread counts as alone',
    file: 'shared/processing/thread/run-chunk.ts',
    find: 'if (task.statusBuffer.items[builder.slotOf(source)] !== NOT_BEGUN) run.isAlone = false;',
    replace: '',
    tests: ['tests/integration/processing/thread-death.test.ts'],
  },
];
