import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

// Fault tests on whole stacks need the machine for themselves: they come last, one file at a time.
const ON_STACKS = ['tests/faults/every-call/*.test.ts', 'tests/faults/random/random.test.ts'];

/** The files that take longest begin first: begun last, they would have one core at work while the other waits. */
const LONGEST = [
  '/faults/gate/gate.test.ts',
  '/integration/cost/receipt.test.ts',
  '/integration/dev/loop.test.ts',
  '/integration/pipeline/crash.test.ts',
  '/integration/failures/outage.test.ts',
  '/integration/limits/mail.test.ts',
  '/integration/pipeline/inbox-faults.test.ts',
];
const isLongest = (file: string): boolean => LONGEST.some((end) => file.endsWith(end));

class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]): ReturnType<BaseSequencer['sort']> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(isLongest(b.moduleId)) - Number(isLongest(a.moduleId)));
  }
}

// Unit tests are pure and run side by side, first: some of them measure short times. Integration tests start real processes
// (Azurite, broker, host) and wait for them; the explorers of the faults compute meanwhile. Three files at a time keep two
// cores busy, and more would make them slow.
const WITH_SERVICES = { maxWorkers: 3, sequence: { groupOrder: 1 } };

/** A condition is waited for, not a time: the default of a second is not enough for a thread to start on a busy machine. */
const PATIENT = { expect: { poll: { timeout: 30_000 } } };

export default defineConfig({
  // The sources of the workspaces instead of their build.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    globalSetup: 'tests/helpers/run-setup.ts',
    sequence: { sequencer: LongestFirst },
    // .ci/run adds up its counts from the report.
    reporters: process.env.CI ? ['default', ['json', { outputFile: '.sluice/test-report.json' }]] : ['default'],
    projects: [
      // The limit is for what hangs: a machine with other work takes many times as long as a quiet one.
      {
        test: {
          name: 'unit',
          ...PATIENT,
          include: ['tests/unit/**/*.test.ts', 'packages/*/tests/unit/**/*.test.ts'],
          testTimeout: 60_000,
          isolate: false,
          setupFiles: ['tests/helpers/fresh-file.ts'],
          // By default one core is left to the runner, which on two is half of them.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'integration',
          ...PATIENT,
          include: ['tests/integration/**/*.test.ts', 'packages/*/tests/integration/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          ...WITH_SERVICES,
        },
      },
      // The explorers are deterministic and need no service; SLUICE_FAULTS_DEEP looks further (docs/reliability.md).
      {
        test: {
          name: 'faults',
          ...PATIENT,
          include: ['tests/faults/**/*.test.ts'],
          exclude: ON_STACKS,
          ...WITH_SERVICES,
          testTimeout: process.env.SLUICE_FAULTS_DEEP === undefined ? 900_000 : 3_600_000,
          hookTimeout: 300_000,
        },
      },
      // What npm packs, installed elsewhere: half a minute, most of it npm's.
      {
        test: {
          name: 'packed',
          ...PATIENT,
          include: ['tests/packed/*.test.ts'],
          testTimeout: 120_000,
          // To install, and to remove, some hundred packages.
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'fault-stacks',
          ...PATIENT,
          include: ON_STACKS,
          fileParallelism: false,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
