import { afterEach, expect, it, vi } from 'vitest';
import {
  addPermits,
  createPermits,
  endRun,
  inFlightOf,
  permitsOfRun,
  setShare,
  take,
} from '../../../shared/limits/permits.ts';
import { Admission } from '../../../shared/processing/thread/calls/admission.ts';

afterEach(() => vi.restoreAllMocks());

const FAR_MS = 4_000_000_000_000;
const OPERATIONS = ['load', 'store', 'add', 'sub', 'exchange', 'compareExchange'] as const;

function permitsFor(inFlight: number) {
  const permits = createPermits(false);
  setShare(permits, { inFlight, hasRate: true, untilMs: FAR_MS });
  addPermits(permits, 100, 100);
  return permits;
}

/** Throws at the n-th access to shared memory, as if the thread ended there. */
function endAtAccess(n: number): void {
  let left = n;
  for (const name of OPERATIONS) {
    const original = Atomics[name] as (...args: unknown[]) => unknown;
    vi.spyOn(Atomics, name).mockImplementation(((...args: unknown[]) => {
      left -= 1;
      if (left < 0) throw new Error('The thread has ended.');
      return original(...args);
    }) as never);
  }
}

it('a thread that ends at any access to shared memory leaves no item in flight, and takes none from other threads', () => {
  let ends = 0;
  for (let hasEnded = true; hasEnded; ends += 1) {
    // Prepare
    const permits = permitsFor(3);
    const [dying, other] = [permitsOfRun(permits, 0), permitsOfRun(permits, 1)];
    take(other, 1, 0);
    const admission = new Admission(dying, () => 0);

    // Act
    endAtAccess(ends);
    try {
      const call = admission.admit(2);
      call?.begin(1);
      call?.end();
      hasEnded = false;
    } catch {}
    vi.restoreAllMocks();
    endRun(dying);

    // Assess
    expect(inFlightOf(permits), `end ${ends}`).toBe(1);
  }
  expect(ends).toBeGreaterThan(8);
});

it('threads together have at most the permitted items in flight', () => {
  const permits = permitsFor(3);
  const runs = [permitsOfRun(permits, 0), permitsOfRun(permits, 1)];
  const taken = [0, 1, 0, 1, 0].map((run) => take(runs[run] ?? permits, 1, 0));
  expect(taken).toEqual([true, true, true, false, false]);
});

it('of two threads that take the last permit at the same time, at most one gets it', () => {
  // Prepare: the second thread takes its permit between any two accesses of the first one.
  for (let at = 0; at < 8; at += 1) {
    const permits = permitsFor(1);
    const [first, second] = [permitsOfRun(permits, 0), permitsOfRun(permits, 1)];
    const original = Atomics.load as (...args: unknown[]) => unknown;
    let loads = 0;
    let secondTook = false;
    vi.spyOn(Atomics, 'load').mockImplementation(((...args: unknown[]) => {
      loads += 1;
      if (loads === at + 1) {
        loads = Number.NEGATIVE_INFINITY;
        secondTook = take(second, 1, 0);
      }
      return original(...args);
    }) as never);

    // Act
    const firstTook = take(first, 1, 0);
    vi.restoreAllMocks();

    // Assess
    expect([firstTook, secondTook].filter(Boolean).length, `at ${at}`).toBeLessThanOrEqual(1);
    expect(inFlightOf(permits), `at ${at}`).toBe(Number(firstTook) + Number(secondTook));
  }
});
