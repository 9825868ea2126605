/** The faults of single calls that the front knows, and how each is carried out. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallHead, Outcome, StorageAnswer } from '../call.ts';
import { answerRefusal } from '../rules/refusal.ts';

/** All kinds of faults; README.md says what each stands for. */
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

/** Statuses that say nothing about the call itself. Storage answers 429, 500 and 503; 408, 502 and 504 come from a gateway on the way. */
export const FAULT_STATUSES = [408, 429, 500, 502, 503, 504] as const;
export type FaultStatus = (typeof FAULT_STATUSES)[number];

/** A fault of one call. `effect`: whether the call is carried out anyway; default: it is not. */
export type StorageFault =
  /** 403, which no SDK repeats: stands for a call of which every repeat failed, too. */
  | { kind: 'refused'; effect?: boolean }
  | { kind: 'status'; status: FaultStatus; effect?: boolean; retryAfterSeconds?: number }
  /** The connection is cut: without effect; after half of the request's body, without effect; after the effect. */
  | { kind: 'reset' | 'resetInRequest' | 'lostReply' }
  /** With its effect; the connection is cut after half of the answer's body, and before an answer that has none. */
  | { kind: 'resetInBody' }
  /** The call, or its answer, waits for `ms`. */
  | { kind: 'slow' | 'late'; ms: number }
  /** Carried out a second time `ms` after the first. `first` is answered at once and does not wait for the second. */
  | { kind: 'doubled'; answer: 'first' | 'second'; ms: number }
  /** No effect and no answer until the client gives up, or until the connection is cut after `ms`. Default: never cut. */
  | { kind: 'frozen'; ms?: number };

/** Carries a call out with a fault; what it returns is for an interceptor to return. */
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
  // The service may have stopped by then: nobody waits for the second call, so its failure is ignored.
  setTimeout(() => void forward().catch(() => undefined), ms).unref();
  return first;
}

const REFUSED = {
  status: 403,
  code: 'AuthorizationFailure',
  message: 'This request is not authorized to perform this operation.',
};

/** Codes and messages of storage; a gateway knows neither. */
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
