import type { Mutant } from './mutant.ts';

export const LIMITS: readonly Mutant[] = [
  {
    name: 'the share is not reduced before the row is written',
    file: 'shared/limits/quota.ts',
    find: `      this.pacer.shrinkTo(first.share);
`,
    replace: '',
    tests: ['tests/unit/limits/limiter.test.ts'],
  },
  {
    name: 'a lease is used until its end, without a margin',
    file: 'shared/limits/quota.ts',
    find: ' - MARGIN_MS);',
    replace: ');',
    tests: ['tests/unit/limits/limiter.test.ts'],
  },
  {
    name: 'a call starts after the end of the lease',
    file: 'shared/limits/permits.ts',
    find: `  if (nowMs >= Number(Atomics.load(until, 0))) return false;
`,
    replace: '',
    tests: ['tests/unit/limits/limiter.test.ts', 'tests/unit/limits/claim.test.ts'],
  },
  {
    name: 'a call that may not start stays in flight',
    file: 'shared/limits/permits.ts',
    find: `  else Atomics.sub(inFlight, run, items);
`,
    replace: '',
    tests: ['tests/unit/limits/permits.test.ts', 'tests/unit/limits/limiter.test.ts'],
  },
  {
    name: 'two threads take the last place in flight at the same time',
    file: 'shared/limits/permits.ts',
    find: `    inFlightOf(permits) <= most &&
    (!hasRate`,
    replace: '    (!hasRate',
    tests: ['tests/unit/limits/permits.test.ts'],
  },
  {
    name: 'a row that is full fails every claim',
    file: 'shared/limits/quota.ts',
    find: `      if (!hasRoom(first.row)) return undefined;
`,
    replace: '',
    tests: ['tests/unit/limits/limiter.test.ts'],
  },
  {
    name: 'items in flight are not counted any more when the share ends',
    file: 'shared/limits/claim.ts',
    find: 'inFlight: Math.max(share.inFlight, inFlight)',
    replace: 'inFlight: share.inFlight',
    tests: ['tests/unit/limits/claim.test.ts', 'tests/unit/limits/limiter.test.ts'],
  },
];
