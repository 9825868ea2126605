import { defineConfig } from 'vitest/config';
import { findChromium } from './support/chromium.ts';

const chromium = findChromium();
if (chromium === undefined) process.stdout.write('The browser tests are left out: there is no Chromium here.\n');

// A separate configuration: these tests need a browser, which `npm test` does not require.
export default defineConfig({
  test: {
    globalSetup: chromium === undefined ? [] : ['tests/browser/support/stack.ts'],
    include: chromium === undefined ? [] : ['tests/browser/**/*.test.ts'],
    passWithNoTests: chromium === undefined,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // With several browsers on two cores, Chromium is sometimes "unable to capture screenshot".
    fileParallelism: false,
  },
});
