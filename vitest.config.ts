import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

// Fault tests on whole stacks need the machine for themselves: they come last, one file at a time.
const ON_STACKS = ['tests/faults/every-call/*.test.ts', 'tests/faults/random/random.test.ts'];

/**
 * The files that take longest begin first, in this order: begun last, they would have one core at work while the other
 * waits. One of the two explorers that compute all the time begins later, so that each has the files beside it that wait.
 */
const LONGEST = [
  '/faults/gate/gate.test.ts',
  '/faults/deletion/deletion.test.ts',
  '/integration/cost/receipt.test.ts',
  '/integration/failures/handlers.test.ts',
  '/integration/pipeline/inbox/inbox-import.test.ts',
  '/integration/package/package.test.ts',
  '/integration/failures/deployment.test.ts',
  '/integration/instances.test.ts',
  '/upgrade/recording.test.ts',
  '/integration/failures/function-timeout.test.ts',
  '/faults/chunk-life/chunk-life.test.ts',
  '/integration/limits/mail.test.ts',
  '/integration/failures/outage.test.ts',
  '/integration/pipeline/crash.test.ts',
  '/integration/cli/sluice.test.ts',
  '/integration/dev/loop.test.ts',
];
/** How early a file begins: 0 for all that are not named. */
const urgencyOf = (file: string): number => {
  const at = LONGEST.findIndex((end) => file.endsWith(end));
  return at < 0 ? 0 : LONGEST.length - at;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]): ReturnType<BaseSequencer['sort']> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => urgencyOf(b.moduleId) - urgencyOf(a.moduleId));
  }
}

// Unit tests are pure and run side by side, first: some of them measure short times. Integration tests start real processes
// (Azurite, broker, host) and wait for them; the explorers of the faults compute meanwhile. Three files at a time leave a
// third of two cores idle.
const WITH_SERVICES = { maxWorkers: 4, sequence: { groupOrder: 1 } };

/** For conditions that a test waits for, unless it says otherwise. Like the limits of tests, it is for what hangs. */
const POLL = { expect: { poll: { timeout: 30_000 } } };

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
          ...POLL,
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
          ...POLL,
          include: [
            ...['tests/integration/**/*.test.ts', 'packages/*/tests/integration/**/*.test.ts'],
            'tests/upgrade/*.test.ts',
          ],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          ...WITH_SERVICES,
        },
      },
      // The explorers are deterministic and need no service; SLUICE_FAULTS_DEEP looks further (docs/reliability.md). They
      // compute all the time: the largest scenario takes some 20 s of CPU, which may be minutes on a busy machine.
      {
        test: {
          name: 'faults',
          ...POLL,
          include: ['tests/faults/**/*.test.ts'],
          exclude: ON_STACKS,
          ...WITH_SERVICES,
          testTimeout: process.env.SLUICE_FAULTS_DEEP === undefined ? 900_000 : 3_600_000,
          hookTimeout: 300_000,
        },
      },
      // What npm packs, installed elsewhere: some minutes, most of them npm's.
      {
        test: {
          name: 'packed',
          ...POLL,
          include: ['tests/packed/*.test.ts'],
          testTimeout: 300_000,
          // To install, and to remove, some hundred packages.
          hookTimeout: 600_000,
        },
      },
      // Builds the code of recorded versions, for which it needs the history of git and perhaps npm.
      {
        test: {
          name: 'upgrade',
          ...POLL,
          include: ['tests/upgrade/side-by-side/*.test.ts'],
          fileParallelism: false,
          testTimeout: 300_000,
          // To install the packages of an earlier version.
          hookTimeout: 900_000,
        },
      },
      // Hostile inputs, one at a time: memory and answers of an instance that also has other work would prove nothing.
      {
        test: {
          name: 'door',
          ...POLL,
          include: ['tests/door/*.test.ts'],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'fault-stacks',
          ...POLL,
          include: ON_STACKS,
          fileParallelism: false,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
