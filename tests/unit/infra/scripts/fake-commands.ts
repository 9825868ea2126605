/** Runs the scripts of a deployment in several shells, with fakes of az, curl, sleep and date. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { ROOT } from '../bicep.ts';

/** Returns the real path of a shell on PATH; undefined if this machine does not have it. */
function programOf(shell: string): string | undefined {
  const [command = ''] = shell.split(' ');
  const { status, stdout } = spawnSync(command, ['-c', `command -v ${command}`], { encoding: 'utf8' });
  return status === 0 ? realpathSync(stdout.trim()) : undefined;
}

/** The POSIX shells of this machine, each once: on Debian and Ubuntu, `sh` is `dash`. */
export const SHELLS = [...Map.groupBy(['dash', 'bash --posix', 'sh'], programOf)].flatMap(([program, shells]) =>
  program === undefined ? [] : shells.slice(0, 1),
);
/** A clock that advances only by sleeping. It starts no process, because a script may look at it a hundred times. */
const SLEEP = 'read -r now < "$FAKES/now"; echo $((now + $1)) > "$FAKES/now"';
const DATE = 'read -r now < "$FAKES/now"; echo "$now"';
export const SUBSCRIPTION = '11111111-2222-3333-4444-555555555555';

let folder: string;

/** Gives each test of a file a new folder of fakes, with a clock at 1000 s. */
export function useFakeCommands(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice scripts '));
    writeFileSync(join(folder, 'now'), '1000\n');
    fake('sleep', SLEEP);
    fake('date', DATE);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}

/** Returns the path of a file in the folder of fakes, which is also the working folder of the scripts. */
export const inFolder = (name: string): string => join(folder, name);

/** Puts a command on PATH that records its arguments, one call per line. Its body can use `$FAKES`. */
export function fake(name: string, body: string): void {
  const record = `printf '%s\\n' "$*" >> "$FAKES/${name}.calls"`;
  writeFileSync(join(folder, name), `#!/bin/sh\n${record}\n${body}\n`, { mode: 0o755 });
}

/** Fakes az: answers by words of the command, and fails for unknown commands. */
export const fakeAz = (cases: Record<string, string>): void =>
  fake(
    'az',
    `case "$*" in\n${Object.entries(cases)
      .map(([words, body]) => `*'${words}'*) ${body} ;;`)
      .join('\n')}\n*) echo "az: unexpected $*" >&2; exit 64 ;;\nesac`,
  );

/** Returns the calls of a fake. */
export const callsOf = (name: string): string[] => {
  const file = join(folder, `${name}.calls`);
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
};
/** Returns how long the script slept. */
export const secondsSlept = (): number => Number(readFileSync(join(folder, 'now'), 'utf8')) - 1000;

/** The result of a script. */
export interface Run {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a script of infra/ in a shell. */
export function run(shell: string, script: string, args: readonly string[], env: Record<string, string> = {}): Run {
  const [command = '', ...options] = shell.split(' ');
  return runProgram(command, [...options, join(ROOT, 'infra', script), ...args], { env });
}

/** Runs the command sluice from its sources. */
export const sluice = (args: readonly string[], input?: string): Run =>
  runProgram(process.execPath, ['--conditions=source', join(ROOT, 'cli/sluice.ts'), ...args], { input });

function runProgram(
  command: string,
  args: readonly string[],
  { env, input = '' }: { env?: Record<string, string>; input?: string | undefined },
): Run {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd: folder,
    input,
    env: { PATH: `${folder}${delimiter}${process.env.PATH}`, TMPDIR: folder, FAKES: folder, ...env },
  });
  return { status, stdout, stderr };
}
