/** The faults of single calls, and how each is applied. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallHead, Outcome, StorageAnswer } from '../call.ts';
import { answerRefusal } from '../rules/refusal.ts';

/** All kinds of faults. README.md describes them. */
export const FAULT_KINDS = [
  'refused',
  'status',
  'reset',
  'resetInRequest',
  'resetInBody',
  'lostReply',
  'slow',
  'late',
  'doubled',
  'frozen',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Statuses that do not depend on the call. Storage answers 429, 500 and 503; gateways answer 408, 502 and 504. */
export const FAULT_STATUSES = [408, 429, 500, 502, 503, 504] as const;
export type FaultStatus = (typeof FAULT_STATUSES)[number];

/** A fault of one call. `effect` is whether the call is executed anyway; it defaults to false. */
export type StorageFault =
  /** 403, which no SDK retries. It simulates a call of which every retry failed, too. */
  | { kind: 'refused'; effect?: boolean }
  | { kind: 'status'; status: FaultStatus; effect?: boolean; retryAfterSeconds?: number }
  /** The connection is cut: without an effect; after half of the request's body, without an effect; after the effect. */
  | { kind: 'reset' | 'resetInRequest' | 'lostReply' }
  /** The call has its effect. The connection is cut after half of the answer's body, or before an answer without a body. */
  | { kind: 'resetInBody' }
  /** The call, or its answer, is delayed by `ms`. */
  | { kind: 'slow' | 'late'; ms: number }
  /**
   * The call is executed a second time, `ms` after the first. `first` is answered immediately and does not wait for the
   * second.
   */
  | { kind: 'doubled'; answer: 'first' | 'second'; ms: number }
  /**
   * No effect and no answer until the client cancels the call, or until the connection is cut after `ms`. By default it is
   * never cut.
   */
  | { kind: 'frozen'; ms?: number };

/** Executes a call with a fault. An interceptor returns the result. */
export async function carryOut(
  fault: StorageFault,
  head: CallHead,
  forward: () => Promise<StorageAnswer>,
): Promise<Outcome> {
  switch (fault.kind) {
    case 'refused':
      if (fault.effect) await forward();
      return answerRefusal(head, REFUSED);
    case 'status':
      if (fault.effect) await forward();
      return answerStatus(head, fault.status, fault.retryAfterSeconds);
    case 'reset':
    case 'resetInRequest':
      return fault.kind;
    case 'lostReply':
      await forward();
      return 'reset';
    case 'resetInBody':
      return cutInBody(await forward());
    case 'slow':
      await sleep(fault.ms);
      return forward();
    case 'late':
      return after(fault.ms, await forward());
    case 'doubled':
      return doubled(fault, forward);
    case 'frozen':
      return fault.ms === undefined ? new Promise<never>(() => {}) : after(fault.ms, 'reset');
    default:
      return fault satisfies never;
  }
}

const after = <T>(ms: number, value: T): Promise<T> => sleep(ms, value);

const cutInBody = (answer: StorageAnswer): Outcome =>
  answer.body.length === 0 ? 'reset' : { ...answer, cutAfterBytes: Math.floor(answer.body.length / 2) };

async function doubled(
  { answer, ms }: { answer: 'first' | 'second'; ms: number },
  forward: () => Promise<StorageAnswer>,
): Promise<StorageAnswer> {
  const first = await forward();
  if (answer === 'second') {
    await sleep(ms);
    return forward();
  }
  // No client waits for the second call, and the service may have stopped by then. Therefore its failure is ignored.
  setTimeout(() => void forward().catch(() => undefined), ms).unref();
  return first;
}

const REFUSED = {
  status: 403,
  code: 'AuthorizationFailure',
  message: 'This request is not authorized to perform this operation.',
};

/** Statuses with a code and message of storage. Answers of a gateway have neither. */
const OWN_STATUSES: Partial<Record<FaultStatus, { code: string; message: string }>> = {
  429: { code: 'TooManyRequests', message: 'The request is being throttled.' },
  500: { code: 'InternalError', message: 'The server encountered an internal error. Please retry the request.' },
  503: {
    code: 'ServerBusy',
    message: 'The server is currently unable to receive requests. Please retry your request.',
  },
};

function answerStatus(head: CallHead, status: FaultStatus, retryAfterSeconds?: number): StorageAnswer {
  const headers = retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)];
  const own = OWN_STATUSES[status];
  if (own) return answerRefusal(head, { status, ...own, headers });
  const page = head.method === 'HEAD' ? '' : `<html><head><title>${status}</title></head><body></body></html>`;
  return { status, headers: ['Content-Type', 'text/html', ...headers], body: Buffer.from(page) };
}
