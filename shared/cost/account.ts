/**
 * On whose behalf operations are made. An invocation (a request, an activity, a delivery of events, a run of a timer) and
 * everything that it awaits have an account, and so does each batch in it: `forBatch`. What was spent for a batch is
 * stored with the writes of its row that are made anyway (`charge`); everything else belongs to a named overhead
 * (overhead.ts). So the rows of all batches and the overheads of all processes add up to what the services have counted:
 * a write that is refused stores nothing, and the operations stay in the account.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { addOperations, type Operations, subtractOperations } from '../contract/operations.ts';

/** Number of finished tries of storage requests, their total time in milliseconds, and how many of them were throttled. */
export interface ResponseTimes {
  count: number;
  ms: number;
  throttled: number;
}

/** What an invocation has spent and not stored for a batch. `onChange` is called with each change of it. */
interface Invocation {
  notStored: Operations;
  readonly responses: ResponseTimes;
  readonly onChange: (operations: Operations) => void;
  readonly batches: Map<string, Account>;
}

interface Account {
  readonly invocation: Invocation;
  /** Negative while a write has stored what follows it. */
  notStored: Operations;
}

const accounts = new AsyncLocalStorage<Account>();

/**
 * Runs an invocation. `onChange` gets the operations of it and of everything that it starts, also after its end, and with
 * negative counts those that were stored for a batch. Defaults to nothing.
 */
export function asInvocation<T>(work: () => Promise<T>, onChange: Invocation['onChange'] = () => {}): Promise<T> {
  const responses = { count: 0, ms: 0, throttled: 0 };
  return accounts.run(newAccount({ notStored: {}, responses, onChange, batches: new Map() }), work);
}

const newAccount = (invocation: Invocation): Account => ({ invocation, notStored: {} });

/** Runs work on behalf of a batch. Outside of an invocation, only runs it. */
export function forBatch<T>(batch: string, work: () => Promise<T>): Promise<T> {
  const invocation = accounts.getStore()?.invocation;
  if (invocation === undefined) return work();
  const account = invocation.batches.get(batch) ?? newAccount(invocation);
  invocation.batches.set(batch, account);
  return accounts.run(account, work);
}

/** Runs work on behalf of a batch whose id is not known yet. */
export function forNewBatch<T>(work: () => Promise<T>): Promise<T> {
  const invocation = accounts.getStore()?.invocation;
  return invocation === undefined ? work() : accounts.run(newAccount(invocation), work);
}

/** Adds operations to the current account. The meter calls it; operations that it cannot see are added by their callers. */
export function addSpent(operations: Operations): void {
  const account = accounts.getStore();
  if (account) change(account, operations);
}

function change(account: Account, operations: Operations): void {
  account.notStored = addOperations(account.notStored, operations);
  account.invocation.notStored = addOperations(account.invocation.notStored, operations);
  account.invocation.onChange(operations);
}

/** Counts a response for the current invocation. */
export function addResponse(ms: number, isThrottled: boolean): void {
  const responses = accounts.getStore()?.invocation.responses;
  if (responses === undefined) return;
  responses.count += 1;
  responses.ms += ms;
  if (isThrottled) responses.throttled += 1;
}

/** Returns the responses of the current invocation so far. */
export const responsesSoFar = (): ResponseTimes => ({
  ...(accounts.getStore()?.invocation.responses ?? { count: 0, ms: 0, throttled: 0 }),
});

/** Returns what the current invocation has spent so far and not stored for a batch. */
export const spentSoFar = (): Operations => accounts.getStore()?.invocation.notStored ?? {};

/** Operations to store, and the function to call when they are. */
export interface Charge {
  operations: Operations;
  stored: () => void;
}

/** Takes what the current account has spent, with the write that stores it and whatever certainly `follows`. */
export function charge(follows: Operations = {}): Charge {
  const account = accounts.getStore();
  return account ? chargeTo(account, positive(addOperations(account.notStored, follows))) : NOTHING;
}

/** Takes what the current invocation has spent for these batches. */
export function chargeBatches(batches: Iterable<string>): Charge {
  const known = accounts.getStore()?.invocation.batches;
  const charges = [...new Set(batches)].flatMap((batch) => {
    const account = known?.get(batch);
    return account ? chargeTo(account, positive(account.notStored)) : [];
  });
  return {
    operations: charges.map(({ operations }) => operations).reduce(addOperations, {}),
    stored: () => {
      for (const each of charges) each.stored();
    },
  };
}

const NOTHING: Charge = { operations: {}, stored: () => {} };

const chargeTo = (account: Account, operations: Operations): Charge => ({
  operations,
  stored: () => change(account, subtractOperations({}, operations)),
});

/** What an earlier write has stored in advance is not charged again. */
const positive = (operations: Operations): Operations =>
  Object.fromEntries(Object.entries(operations).filter(([, n]) => n > 0));
