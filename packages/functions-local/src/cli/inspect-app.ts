import { fork } from 'node:child_process';
import { compileCacheFolder } from '../stack/process/compile-cache.ts';
import { scriptPath } from '../stack/process/script-path.ts';
import type { Inspection } from './inspection.ts';

/** Long enough for a cold disk. It fails for code that waits for a service that is not running yet. */
const TIMEOUT_MS = 60_000;

/**
 * Loads an app in a separate process, before any service is running, and returns what it registers. The app's output is
 * dropped, since it appears again when the host loads the app.
 */
export function inspectApp(appFolder: string, env: NodeJS.ProcessEnv): Promise<Inspection> {
  const script = scriptPath(import.meta.url, './inspect-main');
  const child = fork(script, [appFolder], {
    cwd: appFolder,
    // The compiled code is cached for the host that loads the app next.
    env: { NODE_COMPILE_CACHE: compileCacheFolder(), ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise<Inspection>((resolve) => {
    const refuse = (problem: string): void => resolve({ isLoaded: false, problem });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      refuse(
        `the app was not loaded after ${TIMEOUT_MS / 1000} s: its files must not wait for storage or Service Bus, which are ` +
          'not running while its functions are listed.',
      );
    }, TIMEOUT_MS);
    child.once('message', (message) => resolve(message as Inspection));
    child.once('error', (error) => refuse(`the app could not be loaded: ${error.message}`));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      refuse(`the app's process ended while its files were loaded (${signal ?? `code ${code}`}).`);
    });
  });
}
