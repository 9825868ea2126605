/**
 * Unit tests share the processes they run in, which halves their CPU time: the packages they import are loaded once. What a
 * file would find changed by the one before it is put back here: the project's own modules are loaded anew for each file,
 * so that their state is its own, and clocks, globals and environment are the real ones.
 */
import { afterAll, vi } from 'vitest';

vi.resetModules();
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
