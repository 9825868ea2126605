import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, type Part, startPart, startProcess } from 'functions-local';
import { DEFAULTS } from '../../../shared/settings.ts';

export interface FaultHostOptions {
  /** Made by `buildAppCopy`. */
  appFolder: string;
  /** For the durable store and the log. */
  folder: string;
  storage: string;
  serviceBus: string;
  subscription: string;
  settings?: Record<string, string>;
  /** Milliseconds that the host's clock is ahead of the services'; default 0. */
  clockOffsetMs?: number;
  /** Where the durable backend asks before and after each change; none = it does not ask. */
  faultUrl?: string;
}

/** No timer of the app's own may get in the way: a test sweeps when it wants to. */
const NEVER = '0 0 0 29 2 *';

/** Starts a host of the app copy as a child that can be killed and comes back at the same address. */
export async function startHostPart(options: FaultHostOptions): Promise<{ part: Part<string>; url: string }> {
  const port = await freePort();
  const { appFolder, folder, storage, serviceBus, subscription, faultUrl, clockOffsetMs = 0 } = options;
  const env = {
    ...DEFAULTS,
    FUNCTIONS_WORKER_RUNTIME: 'node',
    // A host is started hundreds of times: what was compiled once is not compiled again.
    NODE_COMPILE_CACHE: join(appFolder, 'compile-cache'),
    AzureWebJobsStorage: storage,
    SluiceStorage: storage,
    SluiceServiceBus: serviceBus,
    SLUICE_TASK_HUB: 'sluice',
    SLUICE_SUBSCRIPTION: subscription,
    SLUICE_SWEEP_SCHEDULE: NEVER,
    SLUICE_THREADS: '1',
    SLUICE_SLICE_SECONDS: '2',
    SLUICE_VISIBILITY_SECONDS: '4',
    ...(faultUrl === undefined ? {} : { FAULT_URL: faultUrl }),
    ...(clockOffsetMs === 0 ? {} : shiftedClock(appFolder, clockOffsetMs)),
    ...options.settings,
  };
  const part = await startPart(
    () =>
      startProcess({
        name: 'Functions host',
        script: join(appFolder, 'dist/tests/helpers/fault-host.js'),
        args: [appFolder, '--port', String(port), '--state-dir', join(folder, 'host')],
        env,
        logFile: join(folder, 'host.log'),
        readReady: (line) => /^Host started on (\S+)/.exec(line)?.[1],
      }),
    (message) => console.error(message),
  );
  return { part, url: part.process.ready.replace(/\/$/, '') };
}

const shiftedClock = (appFolder: string, offsetMs: number): Record<string, string> => ({
  FAULT_CLOCK_OFFSET_MS: String(offsetMs),
  NODE_OPTIONS: `--import=${pathToFileURL(join(appFolder, 'dist/tests/helpers/shifted-clock.js'))}`,
});

/** Decides about a change of the durable backend: true lets it pass. May take its time. */
export type DurableFault = (operation: string, phase: 'before' | 'after') => Promise<boolean>;

/** Listens for the questions of fault hosts. */
export async function listenForDurable(fault: DurableFault): Promise<{ url: string; close: () => void }> {
  const answer = async ({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, operation = '', phase] = url.split('/');
    const passes = await fault(operation, phase === 'after' ? 'after' : 'before');
    response.writeHead(passes ? 200 : 500).end();
  };
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
