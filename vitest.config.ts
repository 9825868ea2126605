import { defineConfig } from 'vitest/config';

// Unit tests are pure and run side by side. Integration tests start real processes (Azurite, broker, host),
// so on a small machine they run one file at a time.
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts'] } },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
