/** Azurite behind proxies that lose the answer of one call after its effect: the app's retry policy then makes it again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { azuriteConnectionString, startAzurite } from '../../../local/azurite.ts';
import { makeStorage } from '../../../local/make-storage.ts';
import { freePort } from '../../../local/ports.ts';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { readSettings } from '../../../shared/settings.ts';
import { createClients } from '../../../shared/storage/clients.ts';
import { RETRY_LIMITS } from '../../../shared/storage/retry-limits.ts';
import { type StorageCall, type StorageService, startStorageProxy } from '../../faults/harness/storage-proxy.ts';
import { connectionsTo } from '../../helpers/connections.ts';
import { World } from '../sweep/world.ts';

/** Which call loses its answer: the first of the service whose method and path, `METHOD path?query`, match. */
export type Lost = [service: StorageService, call: RegExp, body?: RegExp];

export class Lossy {
  world!: World;
  stop: () => Promise<void> = async () => undefined;
  #next: Lost | undefined;
  #calls: string[] = [];

  /** Loses the answer of the next such call. */
  lose(...lost: Lost): void {
    this.#next = lost;
    this.#calls = [];
  }

  /** Every test has to show that the answer was really lost, and the call made again. */
  assertLost(): void {
    expect(this.#next).toBeUndefined();
    expect(this.#calls.slice(1)).toContain(this.#calls[0]);
  }

  /** Whether the answer of this call is the one to lose; counts it and its repeats. */
  takes({ service, method, path, body }: StorageCall): boolean {
    const call = `${method} ${path}`;
    if (this.#calls.length > 0) {
      this.#calls.push(call);
      return false;
    }
    const [of, pattern, content] = this.#next ?? [];
    if (of !== service || !pattern?.test(call) || !(content ?? /^/).test(body.toString('latin1'))) return false;
    this.#next = undefined;
    this.#calls.push(call);
    return true;
  }
}

async function startLossy(lossy: Lossy): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-lossy-'));
  const ports = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  const azurite = await startAzurite({ folder, ports, logFile: join(folder, 'azurite.log') });
  await makeStorage(azurite.ready, { containers: Object.values(CONTAINERS), tables: Object.values(TABLES) });
  const proxyOf = (service: StorageService) =>
    startStorageProxy({
      service,
      target: ports[service],
      intercept: async (call, forward) => {
        const isLost = lossy.takes(call);
        const answer = await forward();
        return isLost ? 'reset' : answer;
      },
    });
  const [blob, queue, table] = await Promise.all([proxyOf('blob'), proxyOf('queue'), proxyOf('table')]);
  const connection = azuriteConnectionString({ blob: blob.port, queue: queue.port, table: table.port });
  const settings = readSettings(connectionsTo(connection));
  const clients = createClients(settings, createMeter(), { ...RETRY_LIMITS, firstDelayMs: 1 });
  lossy.stop = async () => {
    await clients.close();
    for (const proxy of [blob, queue, table]) proxy.close();
    await azurite.stop();
    await rm(folder, { recursive: true, force: true });
  };
  lossy.world = new World({ clients, settings, stop: lossy.stop });
}

/** A lossy storage, and the whole pipeline on it, for the tests of one file. */
export function useLossy(): Lossy {
  const lossy = new Lossy();
  beforeAll(() => startLossy(lossy));
  beforeEach(() => lossy.world.reset());
  afterAll(() => lossy.stop());
  return lossy;
}
