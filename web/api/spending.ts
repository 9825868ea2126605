import { createObservable } from '../observable.ts';

/** What this page itself has asked for since it was opened. */
export interface Spending {
  requests: number;
  /** Storage operations behind those requests, as the routes are known to make them. */
  operations: number;
}

/** Shown in the page, so that watching has a price that can be seen. */
export const spending = createObservable<Spending>({ requests: 0, operations: 0 });

/** Counts a request, and the storage operations that the server made for it. */
export const spend = (operations: number, requests = 1): void =>
  spending.update((so) => ({ requests: so.requests + requests, operations: so.operations + operations }));
