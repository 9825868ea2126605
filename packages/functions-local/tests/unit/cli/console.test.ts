import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createConsole } from '../../../src/cli/console.ts';

beforeEach(() => {
  vi.stubEnv('FORCE_COLOR', undefined);
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('TERM', 'xterm-256color');
  // A terminal of a CI system counts as a terminal without colours.
  vi.stubEnv('CI', undefined);
});
afterEach(() => vi.unstubAllEnvs());

/** Returns an error as it appears on standard error. */
function errorOn({ isTTY }: { isTTY: boolean }): string {
  const { getColorDepth } = WriteStream.prototype;
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, getColorDepth });
  createConsole({ stdout: process.stdout, stderr: stderr as unknown as NodeJS.WriteStream & { fd: 2 } }).error(
    'no luck',
  );
  return String(stderr.read());
}

describe('an error', () => {
  it('has a red label on a terminal', () => {
    expect(errorOn({ isTTY: true })).toBe('\u001b[31merror:\u001b[39m no luck\n');
  });

  it('has no colour in a pipe', () => {
    expect(errorOn({ isTTY: false })).toBe('error: no luck\n');
  });

  it('has no colour with NO_COLOR', () => {
    vi.stubEnv('NO_COLOR', '1');
    expect(errorOn({ isTTY: true })).toBe('error: no luck\n');
  });
});
