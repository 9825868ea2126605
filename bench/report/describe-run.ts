import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { ROOT } from '../../demo/root.ts';
import type { Results } from './results.ts';

/** Returns time, commit, command and machine of a run. */
export function describeRun(): Pick<Results, 'date' | 'commit' | 'command' | 'machine'> {
  const [load = 0] = loadavg();
  return {
    date: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
    command: commandOf(process.argv.slice(2)),
    machine: {
      cores: availableParallelism(),
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      memoryBytes: totalmem(),
      node: process.version,
      loadBefore: load,
    },
  };
}

/** The command with these arguments, without the password that the address of a server may contain. */
export const commandOf = (args: readonly string[]): string =>
  ['npm run bench', ...(args.length > 0 ? ['--'] : []), ...args].join(' ').replace(/\/\/[^@/\s]*@/g, '//');
