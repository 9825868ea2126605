import type { DurableBackend } from '../../durable/types.ts';
import { seconds } from '../../units.ts';
import { createAppHookContext } from '../app/hook-context.ts';
import type { Registry } from '../app/registry.ts';
import { toError } from '../errors.ts';
import type { HttpListener } from '../http/listener.ts';
import type { Invoker } from '../invocation/invoker.ts';
import { withDeadline } from '../invocation/with-deadline.ts';
import type { Wiring } from '../listeners.ts';
import type { HostLog } from '../log/host-log.ts';

/** Time for an appTerminate hook, regardless of the remaining grace period. It is the app's last opportunity to flush data. */
const HOOK_LIMIT_MS = seconds(5);

/** The parts that a stop ends. */
export interface StopOptions {
  registry: Registry;
  http: HttpListener;
  wiring: Wiring;
  invoker: Invoker;
  log: HostLog;
  durable: DurableBackend | undefined;
  graceMs: number;
}

/** Creates the host's `stop` function. Every call returns the same promise. */
export function createStop(options: StopOptions): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= stop(options);
    return stopped;
  };
}

// First the sources of work stop, then the rest of the durable backend, which running work still needs, then the hooks run.
async function stop({ registry, http, wiring, invoker, log, durable, graceMs }: StopOptions): Promise<void> {
  const deadline = Date.now() + graceMs;
  const left = () => Math.max(0, deadline - Date.now());
  const attempt = async (what: string, work: Promise<unknown>, limitMs = left()) => {
    const tooLate = () => log.write('warning', 'Host.General', `${what} did not end in time.`);
    await withDeadline<unknown>(work, limitMs, tooLate).catch((error: unknown) => {
      log.write('error', 'Host.General', `${what}: ${toError(error).message}`);
    });
  };
  durable?.pause();
  const listeners = [...wiring.listeners].map(([name, listener]) => attempt(`Listener of ${name}`, listener.stop()));
  await Promise.all([...listeners, http.close(graceMs)]);
  if (durable)
    await durable.stop(left()).catch((error: unknown) => log.print(`Durable backend: ${toError(error).stack}`));
  await invoker.drain(left());
  for (const hook of registry.hooks.appTerminate) {
    await attempt('An appTerminate hook', Promise.resolve(createAppHookContext(registry)).then(hook), HOOK_LIMIT_MS);
  }
}
