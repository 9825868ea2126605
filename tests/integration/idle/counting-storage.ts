/** A storage that counts every request and shifts the service's clock, which is the only clock of the app. */

import { carryOut, type Intercept, makeStorage, STRICT_PAGES, type StorageFault } from 'functions-local';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import type { Operations } from '../../../shared/contract/operations.ts';
import { operationOf } from '../../../shared/cost/operation-of.ts';
import type { LogSink } from '../../../shared/telemetry/log.ts';
import { openAccount } from '../../helpers/own-account.ts';

export interface CountingStorage {
  /** Bypasses the front, for the preparation of a test. */
  direct: string;
  /** Through the front, for the app. */
  counted: string;
  /** Returns the requests since the last call. */
  take: () => Operations;
  stop: () => Promise<void>;
}

/** A day of sweeps logs the same lines 96 times. */
export const faultsOnly: LogSink = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error };

/**
 * Starts the storage with the tables and containers of a deployment. `faultOf` returns the fault of a call by its
 * operation.
 */
export async function startCountingStorage(
  clockOffsetMs: () => number,
  faultOf: (operation: string, path: string) => StorageFault | undefined = () => undefined,
): Promise<CountingStorage> {
  let counts: Operations = {};
  const count: Intercept = (call, forward) => {
    const { service, method, path } = call;
    const name = operationOf(service, { method, url: `http://storage${path}`, headers: { get: () => undefined } });
    counts[name] = (counts[name] ?? 0) + 1;
    const fault = faultOf(name, path);
    return fault ? carryOut(fault, call, forward) : forward();
  };
  const storage = await openAccount({
    // The service's clock is days ahead of the app's, so no date of a call would be correct. The fault of an empty page
    // cannot be counted.
    ...{ intercept: count, clockOffsetMs, checkDates: false, pages: { ...STRICT_PAGES, emptyEvery: 0 } },
  });
  await makeStorage(storage.direct, { containers: Object.values(CONTAINERS), tables: Object.values(TABLES) });
  const take = (): Operations => {
    const taken = counts;
    counts = {};
    return taken;
  };
  return { direct: storage.direct, counted: storage.connection, take, stop: storage.stop };
}
