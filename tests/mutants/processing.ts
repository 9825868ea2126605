import type { Mutant } from './mutant.ts';

export const PROCESSING: readonly Mutant[] = [
  {
    name: 'a lost lease is used again',
    file: 'shared/processing/lease.ts',
    find: `  const lose = (id: string): void => {
    popReceipts.delete(id);`,
    replace: '  const lose = (id: string): void => {',
    tests: ['tests/unit/processing/lease.test.ts'],
  },
  {
    name: 'two calls for one message run at the same time',
    file: 'shared/processing/lease.ts',
    find: 'const running = before === undefined ? call() : before.then(call, call);',
    replace: 'const running = call();',
    tests: ['tests/unit/processing/lease.test.ts'],
  },
  {
    name: 'a message is changed with an outdated pop receipt',
    file: 'shared/processing/lease.ts',
    find: `      if (popReceipt !== undefined) popReceipts.set(id, popReceipt);
`,
    replace: '',
    tests: ['tests/unit/processing/lease.test.ts'],
  },
  {
    name: 'a redelivered chunk runs although its outcome is stored',
    file: 'shared/processing/decide-chunk.ts',
    find: '  if (mayBeDone(work)) {',
    replace: '  if (false as boolean) {',
    tests: ['tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'a chunk that was put again runs although its outcome is stored',
    file: 'shared/processing/decide-chunk.ts',
    find: ' || entry.value.resent === true',
    replace: '',
    tests: ['tests/unit/processing/isolated-starts.test.ts'],
  },
  {
    name: 'a message that a living process has returned counts as a crash',
    file: 'shared/processing/decide-chunk.ts',
    find: 'message.dequeueCount - (value.returned ?? 0)',
    replace: 'message.dequeueCount',
    tests: ['tests/unit/processing/isolated-starts.test.ts'],
  },
  {
    name: 'a chunk that may have crashed its process runs beside others',
    file: 'shared/processing/decide-chunk.ts',
    find: 'if (deliveries(work) < ISOLATION_DELIVERIES) {',
    replace: 'if (true as boolean) {',
    tests: ['tests/unit/processing/isolated-starts.test.ts'],
  },
  {
    name: 'an isolated start is not counted before the chunk runs',
    file: 'shared/processing/decide-chunk.ts',
    find: `  if (!(await round.lease.rewrite(message.messageId, { ...reference, starts: starts + 1 }))) return 'returned';
`,
    replace: '',
    tests: ['tests/unit/processing/isolated-starts.test.ts'],
  },
  {
    name: 'a chunk that crashes its process runs again each time',
    file: 'shared/processing/decide-chunk.ts',
    find: 'if (starts >= MAX_ISOLATED_STARTS) {',
    replace: 'if (false as boolean) {',
    tests: ['tests/unit/processing/isolated-starts.test.ts'],
  },
  {
    name: 'a chunk of several items ends as killed',
    file: 'shared/processing/decide-chunk.ts',
    find: `    if (items > 1) return store(deps, work, splitChunk(reference));
`,
    replace: '',
    tests: ['tests/unit/processing/isolated-starts.test.ts'],
  },
  {
    name: 'an isolated chunk runs although another worker has stored its outcome while this one waited for the lock',
    file: 'shared/processing/decide-chunk.ts',
    find: `  if (stored) return toDisposition(reference, stored);
  if (starts`,
    replace: '  if (starts',
    tests: ['tests/unit/processing/isolated-starts.test.ts'],
  },
  {
    name: 'a reference from before a resume runs',
    file: 'shared/processing/decide-chunk.ts',
    find: ' || (reference.resumes ?? 0) < (batch.resumes ?? 0)',
    replace: '',
    tests: ['tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'a chunk of a paused batch runs',
    file: 'shared/processing/decide-chunk.ts',
    find: "batch.state === 'paused' || ",
    replace: '',
    tests: ['tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'a chunk of a batch that is being cancelled runs',
    file: 'shared/processing/decide-chunk.ts',
    find: `  if (batch.state === 'cancelling') return store(deps, work, unrun(deps, work, 'cancelled', work.frame));
`,
    replace: '',
    tests: ['tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'a repeated chunk of a finished batch runs',
    file: 'shared/processing/decide-chunk.ts',
    find: `  if (isRepeat) return repeatOf(batch);
`,
    replace: '',
    tests: ['tests/unit/processing/isolated-starts.test.ts'],
  },
  {
    name: 'a caller takes a state in which chunks do not run from a read that began before it asked',
    file: 'shared/processing/batch-states.ts',
    find: `    if (isUnderWay(facts?.state)) return facts;
`,
    replace: `    if (begun !== undefined) return facts;
`,
    tests: ['tests/unit/processing/batch-states.test.ts'],
  },
  {
    name: 'a paused batch counts as one whose chunks run',
    file: 'shared/processing/batch-states.ts',
    find: "state !== undefined && state !== 'paused' && state",
    replace: 'state !== undefined && state',
    tests: [
      'tests/unit/processing/batch-states.test.ts',
      'tests/unit/processing/running-chunks.test.ts',
      'tests/unit/processing/items-round.test.ts',
    ],
  },
  {
    name: 'an outcome replaces the first one',
    file: 'shared/processing/outcome/outcome-store.ts',
    find: `      conditions: { ifNoneMatch: '*' },
`,
    replace: '',
    tests: ['tests/unit/processing/outcome/outcome-store.test.ts'],
  },
  {
    name: 'the worker that comes second reports its own outcome',
    file: 'shared/processing/outcome/outcome-store.ts',
    find: 'return { header: stored, first: isSame(stored, header), isSent: false };',
    replace: 'return { header, first: isSame(stored, header), isSent: false };',
    tests: ['tests/unit/processing/outcome/outcome-store.test.ts'],
  },
  {
    name: 'an exclusive caller does not wait for those that share the lock',
    file: 'shared/slots.ts',
    find: 'if (first() === undefined && sublimit.idle > 0 && needed <= idle) take(call);',
    replace: 'if (first() === undefined && sublimit.idle > 0 && idle > 0) take(call);',
    tests: ['tests/unit/processing/shared-lock.test.ts'],
  },
  {
    name: 'others enter while an exclusive caller waits',
    file: 'shared/slots.ts',
    find: 'if (first() === undefined && sublimit.idle > 0',
    replace: 'if (sublimit.idle > 0',
    tests: ['tests/unit/processing/shared-lock.test.ts', 'tests/unit/slots.test.ts'],
  },
  {
    name: 'the reference of a refused result is deleted',
    file: 'shared/processing/publish/publish-results.ts',
    find: "typeof disposition === 'object' ? !refused.has(nameOf(disposition.done)) : disposition !== 'returned';",
    replace: "disposition !== 'returned';",
    tests: ['tests/unit/processing/publish/publish-results.test.ts', 'tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'a reference that was returned to the queue is deleted',
    file: 'shared/processing/publish/publish-results.ts',
    find: " : disposition !== 'returned';",
    replace: ' : true;',
    tests: ['tests/unit/processing/publish/publish-results.test.ts', 'tests/unit/processing/items-round.test.ts'],
  },
  {
    name: 'results that could not be published are forgotten',
    file: 'shared/processing/publish/round-publisher.ts',
    find: `      waiting = [...part, ...waiting];
`,
    replace: '',
    tests: ['tests/unit/processing/publish/round-publisher.test.ts'],
  },
  {
    name: 'a long chunk delays the results of those that have ended beside it',
    file: 'shared/processing/publish/round-publisher.ts',
    find: 'setInterval(publishIfDue, CHECK_MS)',
    replace: 'setInterval(() => {}, CHECK_MS)',
    tests: ['tests/unit/processing/publish/round-publisher.test.ts'],
  },
  {
    name: 'the end of a round does not wait for the part that is being published',
    file: 'shared/processing/publish/round-publisher.ts',
    find: `      await early;
`,
    replace: '',
    tests: ['tests/unit/processing/publish/round-publisher.test.ts'],
  },
];
