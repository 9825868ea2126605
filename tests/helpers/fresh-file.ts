/**
 * Unit tests share the processes they run in, which halves their CPU time, because the packages they import are loaded
 * once. This file resets what a test file may have changed: the project's own modules are loaded again for each file,
 * so that their state is separate, and clocks, globals and environment are the real ones.
 */
import { afterAll, vi } from 'vitest';

vi.resetModules();
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
