/** Azurite behind proxies that count every request and shift the service's clock: the app knows no other clock. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { azuriteConnectionString, startAzurite } from '../../../local/azurite.ts';
import { makeStorage } from '../../../local/make-storage.ts';
import { freePort } from '../../../local/ports.ts';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import type { Operations } from '../../../shared/contract/operations.ts';
import { operationOf } from '../../../shared/cost/operation-of.ts';
import type { LogSink } from '../../../shared/telemetry/log.ts';
import { type StorageProxy, type StorageService, startStorageProxy } from '../../faults/harness/storage-proxy.ts';

export interface CountingStorage {
  /** Past the proxies, for what a test prepares. */
  direct: string;
  /** Through them, for the app. */
  counted: string;
  /** What went through since the last call. */
  take: () => Operations;
  stop: () => Promise<void>;
}

/** A day of sweeps says the same thing 96 times. */
export const faultsOnly: LogSink = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error };

/** Starts all, with the tables and containers of a deployment. */
export async function startCountingStorage(clockOffsetMs: () => number): Promise<CountingStorage> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-idle-'));
  const ports = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  const azurite = await startAzurite({ folder, ports, logFile: join(folder, 'azurite.log') });
  await makeStorage(azurite.ready, { containers: Object.values(CONTAINERS), tables: Object.values(TABLES) });
  let counts: Operations = {};
  const proxyOf = (service: StorageService): Promise<StorageProxy> =>
    startStorageProxy({
      service,
      target: ports[service],
      clockOffsetMs,
      intercept: (call, forward) => {
        const request = { method: call.method, url: `http://storage${call.path}`, headers: { get: () => undefined } };
        const name = operationOf(service, request);
        counts[name] = (counts[name] ?? 0) + 1;
        return forward();
      },
    });
  const [blob, queue, table] = await Promise.all([proxyOf('blob'), proxyOf('queue'), proxyOf('table')]);
  const stop = async (): Promise<void> => {
    for (const proxy of [blob, queue, table]) proxy.close();
    await azurite.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const take = (): Operations => {
    const taken = counts;
    counts = {};
    return taken;
  };
  const counted = azuriteConnectionString({ blob: blob.port, queue: queue.port, table: table.port });
  return { direct: azurite.ready, counted, take, stop };
}
