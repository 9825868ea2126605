/** Runs docs/examples/publish.sh, and records the arguments of every process that it starts. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const SCRIPT = join(import.meta.dirname, '../../docs/examples/publish.sh');
const TOOLS =
  'cat cksum cp curl date grep gzip head ls mkdir mktemp mv od rm sed sha256sum shasum sleep tail tr wc'.split(' ');

/** The result of a run of the script. */
export interface Published {
  /** null after a signal. */
  code: number | null;
  out: string;
  err: string;
  /** Command lines of the processes that it started. */
  calls: string[];
  /** Seconds that it waited between requests; `sleep` returns immediately. */
  waits: number[];
}

export interface PublishOptions {
  env?: Record<string, string>;
  /** Defaults to `sh`. */
  shell?: 'sh' | 'bash';
  /** Whether the script is killed when it moves a file. */
  killAtMove?: boolean;
}

/**
 * Returns a function that runs the script in `folder`. The script finds its tools only in `<folder>/bin`: each records
 * its arguments and then runs the real one.
 */
export async function createPublisher(
  folder: string,
  env: Record<string, string>,
): Promise<(args: readonly string[], options?: PublishOptions) => Promise<Published>> {
  const bin = join(folder, 'bin');
  const log = join(folder, 'calls.log');
  await mkdir(bin);
  const record = [
    '#!/bin/sh',
    'name=$(PATH=$REAL_PATH; basename "$0")',
    'printf "%s" "$name" >>"$CALLS"',
    'printf " %s" "$@" >>"$CALLS"',
    'echo >>"$CALLS"',
    'if [ "$name" = sleep ]; then exit 0; fi',
    'if [ "$name" = mv ] && [ -n "$KILL_AT_MOVE" ]; then kill -9 "$PPID"; exit 1; fi',
    'PATH=$REAL_PATH',
    'exec "$name" "$@"',
  ];
  await writeFile(join(bin, '.record'), `${record.join('\n')}\n`);
  await chmod(join(bin, '.record'), 0o755);
  await Promise.all(TOOLS.map((tool) => symlink('.record', join(bin, tool))));
  const own = { CALLS: log, PATH: bin, REAL_PATH: process.env.PATH ?? '', TMPDIR: folder, no_proxy: '127.0.0.1' };
  return async (args, { shell = 'sh', killAtMove = false, env: more = {} } = {}) => {
    await writeFile(log, '');
    const child = spawn(`/bin/${shell}`, [SCRIPT, ...args], {
      cwd: folder,
      env: { ...own, ...env, ...more, KILL_AT_MOVE: killAtMove ? '1' : '' },
    });
    child.stdin.end();
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject)),
    ]);
    const calls = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
    const waits = calls.filter((line) => line.startsWith('sleep ')).map((line) => Number(line.slice('sleep '.length)));
    return { code, out, err, calls, waits };
  };
}
