import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

// Fault tests on whole stacks need the machine for themselves: they come last, one file at a time.
const ON_STACKS = ['tests/faults/every-call/*.test.ts', 'tests/faults/random/random.test.ts'];

/** The files that take longest begin first: begun last, they would have one core at work while the other waits. */
const LONGEST = ['/faults/gate/gate.test.ts', '/integration/cost/receipt.test.ts'];
const isLongest = (file: string): boolean => LONGEST.some((end) => file.endsWith(end));

class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]): ReturnType<BaseSequencer['sort']> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(isLongest(b.moduleId)) - Number(isLongest(a.moduleId)));
  }
}

// Unit tests are pure and run side by side. Integration tests start real processes (Azurite, broker, host) and mostly wait
// for them: two files at a time keep two cores busy, and more would make them slow.
export default defineConfig({
  // The sources of the workspaces instead of their build.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    sequence: { sequencer: LongestFirst },
    // .ci/run adds up its counts from the report.
    reporters: process.env.CI ? ['default', ['json', { outputFile: '.sluice/test-report.json' }]] : ['default'],
    projects: [
      // The limit is for what hangs: a machine with other work takes many times as long as a quiet one.
      {
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts', 'packages/*/tests/unit/**/*.test.ts'],
          testTimeout: 60_000,
          // By default one core is left to the runner, which on two is half of them.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts', 'packages/*/tests/integration/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      // The explorers are deterministic and need no service; SLUICE_FAULTS_DEEP looks further (docs/reliability.md).
      {
        test: {
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          exclude: ON_STACKS,
          maxWorkers: 2,
          testTimeout: process.env.SLUICE_FAULTS_DEEP === undefined ? 120_000 : 3_600_000,
          hookTimeout: 120_000,
        },
      },
      // What npm packs, installed elsewhere: half a minute, most of it npm's.
      {
        test: {
          name: 'packed',
          include: ['tests/packed/*.test.ts'],
          testTimeout: 120_000,
          // To install, and to remove, some hundred packages.
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'fault-stacks',
          include: ON_STACKS,
          fileParallelism: false,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
