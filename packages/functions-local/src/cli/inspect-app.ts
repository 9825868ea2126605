import { fork } from 'node:child_process';
import { compileCacheFolder } from '../stack/process/compile-cache.ts';
import { scriptPath } from '../stack/process/script-path.ts';
import type { Inspection } from './inspection.ts';

/** A cold disk is no failure; code that waits for a service which is not up yet is one. */
const TIMEOUT_MS = 60_000;

/**
 * Loads an app in a process of its own, before any service is up, and returns what it registers. What the app writes
 * meanwhile is dropped: it writes it again when the host loads it.
 */
export function inspectApp(appFolder: string, env: NodeJS.ProcessEnv): Promise<Inspection> {
  const script = scriptPath(import.meta.url, './inspect-main');
  const child = fork(script, [appFolder], {
    cwd: appFolder,
    // The host that loads the app next finds it compiled.
    env: { NODE_COMPILE_CACHE: compileCacheFolder(), ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise<Inspection>((resolve) => {
    const refuse = (problem: string): void => resolve({ isLoaded: false, problem });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      refuse(
        `the app was not loaded after ${TIMEOUT_MS / 1000} s: while its functions are listed, no storage and no Service ` +
          'Bus is up, so its files must not wait for them.',
      );
    }, TIMEOUT_MS);
    child.once('message', (message) => resolve(message as Inspection));
    child.once('error', (error) => refuse(`the app could not be loaded: ${error.message}`));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      refuse(`the app ended while its files were loaded (${signal ?? `code ${code}`}).`);
    });
  });
}
