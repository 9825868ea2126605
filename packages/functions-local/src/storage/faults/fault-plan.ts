/** Assigns faults to the calls of a client: as planned, or drawn by a seeded generator. */
import { pick } from '../../random.ts';
import type { Intercept, StorageCall } from '../call.ts';
import { carryOut, FAULT_KINDS, FAULT_STATUSES, type FaultKind, type StorageFault } from './faults.ts';

/** A fault for the `n`-th call (from 1; defaults to the first) of those for which `on` returns true (defaults to all). */
export interface PlannedFault {
  fault: StorageFault;
  n?: number;
  on?: (call: StorageCall) => boolean;
}

/**
 * Creates an interceptor that counts the calls and applies the planned faults. If several apply to a call, only the first one
 * is used. `onFault` is called before a fault is applied.
 */
export function injectFaults(
  planned: readonly PlannedFault[],
  onFault: (fault: StorageFault, call: StorageCall) => void = () => {},
): Intercept {
  const waiting = planned.map(({ fault, n = 1, on = () => true }) => ({ fault, left: n, on }));
  return async (call, forward) => {
    let chosen: StorageFault | undefined;
    for (const one of waiting) {
      if (!one.on(call)) continue;
      one.left -= 1;
      if (one.left === 0) chosen ??= one.fault;
    }
    if (chosen === undefined) return forward();
    onFault(chosen, call);
    return carryOut(chosen, call, forward);
  };
}

export interface DrawOptions {
  /** The number of expected calls. A fault hits one of them. */
  calls: number;
  /** Maximum number of faults. A burst counts as one. */
  most: number;
}

const BURST_CHANCE = 0.3;
const MAX_BURST = 7;

/** Draws up to `most` faults. Sometimes a call fails together with the following calls, including the SDK's own retries. */
export function drawFaults(random: () => number, { calls, most }: DrawOptions): PlannedFault[] {
  const drawn: PlannedFault[] = [];
  for (let count = Math.floor(random() * (most + 1)); count > 0; count -= 1) {
    const fault = drawFault(pick(DRAWN_KINDS, random()), random);
    const first = 1 + Math.floor(random() * calls);
    const burst = random() < BURST_CHANCE ? 1 + Math.floor(random() * MAX_BURST) : 1;
    for (let next = 0; next < burst; next += 1) drawn.push({ fault, n: first + next });
  }
  return drawn;
}

/** `status` is listed more often because it covers six statuses. */
const DRAWN_KINDS = [...FAULT_KINDS, 'status', 'status'] as const;
const MIN_WAIT_MS = 300;
const MAX_WAIT_MS = 6_000;
const MAX_RETRY_AFTER_SECONDS = 3;

function drawFault(kind: FaultKind, random: () => number): StorageFault {
  const ms = MIN_WAIT_MS + Math.floor(random() * MAX_WAIT_MS);
  switch (kind) {
    case 'refused':
      return { kind, effect: random() < 0.5 };
    case 'status': {
      const drawn = { kind, status: pick(FAULT_STATUSES, random()), effect: random() < 0.5 };
      if (random() < 0.5) return drawn;
      return { ...drawn, retryAfterSeconds: 1 + Math.floor(random() * MAX_RETRY_AFTER_SECONDS) };
    }
    case 'slow':
    case 'late':
    case 'frozen':
      return { kind, ms };
    case 'doubled':
      return { kind, answer: random() < 0.5 ? 'first' : 'second', ms };
    case 'reset':
    case 'resetInRequest':
    case 'resetInBody':
    case 'lostReply':
      return { kind };
    default:
      return kind satisfies never;
  }
}
