/** Storage that counts every request and shifts the service's clock: the app knows no other clock. */

import { carryOut, type Intercept, makeStorage, STRICT_PAGES, type StorageFault } from 'functions-local';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import type { Operations } from '../../../shared/contract/operations.ts';
import { operationOf } from '../../../shared/cost/operation-of.ts';
import type { LogSink } from '../../../shared/telemetry/log.ts';
import { openAccount } from '../../helpers/own-account.ts';

export interface CountingStorage {
  /** Past the front, for what a test prepares. */
  direct: string;
  /** Through the front, for the app. */
  counted: string;
  /** What went through since the last call. */
  take: () => Operations;
  stop: () => Promise<void>;
}

/** A day of sweeps says the same thing 96 times. */
export const faultsOnly: LogSink = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error };

/** Starts all, with the tables and containers of a deployment. `faultOf` says what a call meets, by its operation. */
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
    // The service's clock runs days ahead of the app's: no date of a call would be right. An empty page is a chance
    // that a count has no place for.
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
