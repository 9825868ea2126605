import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { compileCacheFolder } from './compile-cache.ts';
import { scriptPath } from './script-path.ts';

/** A script and the options of its Node process. */
export interface NodeScript {
  script: string;
  args: readonly string[];
  /** Added to this process's environment. */
  env?: Readonly<Record<string, string>> | undefined;
  cwd?: string | undefined;
}

/** Starts a child that ends together with this process. */
export function spawnNode({ script, args, env, cwd }: NodeScript): ChildProcess {
  const guard = pathToFileURL(scriptPath(import.meta.url, './end-with-parent')).href;
  return spawn(process.execPath, ['--import', guard, script, ...args], {
    env: { NODE_COMPILE_CACHE: compileCacheFolder(), ...process.env, ...env },
    cwd,
    // The channel closes when this process dies, which the child detects. A separate process group protects the child from
    // Ctrl-C: a terminal would signal all parts at the same time, but they must stop one after the other.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
}
