import type { ChildProcess } from 'node:child_process';
import { scriptPath } from './script-path.ts';
import { type NodeScript, spawnNode } from './spawn-node.ts';

/** The message that says what a spare process runs. */
export interface StandbyLaunch {
  script: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** A process that has loaded modules already and waits for its script: it starts in a fraction of the time. */
export interface SpareProcess {
  /** Has it run the script, unless it has ended or was used: then undefined. */
  take(launch: StandbyLaunch): ChildProcess | undefined;
  end(): void;
}

/** What Node itself reads at the start of a spare process, such as NODE_OPTIONS and the folder that its paths are relative to. */
export type SpareSurroundings = Pick<NodeScript, 'env' | 'cwd'>;

/** Starts a spare process that loads these files. */
export function startSpare(files: readonly string[], surroundings: SpareSurroundings = {}): SpareProcess {
  const child = spawnNode({ script: scriptPath(import.meta.url, './standby'), args: files, ...surroundings });
  let isFree = true;
  child.once('error', () => {
    isFree = false;
  });
  return {
    take: (launch) => {
      if (!isFree || child.exitCode !== null || !child.connected) return undefined;
      isFree = false;
      child.send(launch);
      return child;
    },
    end: () => {
      if (isFree) child.kill('SIGKILL');
      isFree = false;
    },
  };
}
