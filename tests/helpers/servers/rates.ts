/** Compares the calls counted by a server with the limits of a workload. Pure. */

/** A call as seen by the server, by one monotonic clock. `endMs` is absent for a call that has not ended. */
export interface TimedCall {
  atMs: number;
  endMs?: number | undefined;
  items: number;
}

/** The limits that apply. */
export interface Limits {
  /** The unit of `limit`. */
  unit: 'calls' | 'items';
  limit: number;
  perMs: number;
  /** Maximum items in flight; defaults to any number. */
  maxConcurrency?: number;
}

/** Maximum share of the rate in a window of ten periods, and minimum share while there is work. */
const MAX = 1.05;
const MIN = 0.9;
const PERIODS = 10;

/** A time span [fromMs, toMs), and the number of units in it. */
export interface Window {
  fromMs: number;
  toMs: number;
  count: number;
}

const byTime = (calls: readonly TimedCall[]): TimedCall[] => calls.toSorted((a, b) => a.atMs - b.atMs);
const weightOf = (unit: Limits['unit'], { items }: TimedCall): number => (unit === 'calls' ? 1 : items);

/** Finds the window of `widthMs` with the most calls or items. The busiest one begins at a call. */
export function busiestWindow(calls: readonly TimedCall[], unit: Limits['unit'], widthMs: number): Window {
  const sorted = byTime(calls);
  let busiest: Window = { fromMs: 0, toMs: widthMs, count: 0 };
  let [count, end] = [0, 0];
  for (const first of sorted) {
    for (let next = sorted[end]; next && next.atMs < first.atMs + widthMs; next = sorted[end]) {
      count += weightOf(unit, next);
      end += 1;
    }
    if (count > busiest.count) busiest = { fromMs: first.atMs, toMs: first.atMs + widthMs, count };
    count -= weightOf(unit, first);
  }
  return busiest;
}

/** Finds the moment with the most items in flight. A call that ends when another begins is not in flight with it. */
export function mostInFlight(calls: readonly TimedCall[]): { atMs: number; items: number } {
  const changes = calls.flatMap(({ atMs, endMs = Number.POSITIVE_INFINITY, items }) => [
    { atMs, items },
    { atMs: endMs, items: -items },
  ]);
  changes.sort((a, b) => a.atMs - b.atMs || a.items - b.items);
  let [items, most] = [0, { atMs: 0, items: 0 }];
  for (const change of changes) {
    items += change.items;
    if (items > most.items) most = { atMs: change.atMs, items };
  }
  return most;
}

/** The share of the rate that was used between two moments. */
export function shareOfRate(
  calls: readonly TimedCall[],
  { unit, limit, perMs }: Limits,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): number {
  const within = calls.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const count = within.reduce((sum, call) => sum + weightOf(unit, call), 0);
  return count / ((limit * (toMs - fromMs)) / perMs);
}

/** Returns the window of ten periods with more than 1.05 of the rate, and the moment with too many items in flight. */
export function exceededLimits(calls: readonly TimedCall[], limits: Limits): string[] {
  const { unit, limit, perMs, maxConcurrency = Number.POSITIVE_INFINITY } = limits;
  const window = busiestWindow(calls, unit, PERIODS * perMs);
  const most = MAX * PERIODS * limit;
  const inFlight = mostInFlight(calls);
  return [
    ...(window.count > most
      ? [`${window.count} ${unit} from ${ms(window.fromMs)} to ${ms(window.toMs)}, at most ${most} allowed`]
      : []),
    ...(inFlight.items > maxConcurrency
      ? [`${inFlight.items} items in flight at ${ms(inFlight.atMs)}, at most ${maxConcurrency} allowed`]
      : []),
  ];
}

/** Returns a text with the emptiest period if less than 0.9 of the rate was used while work was available. */
export function missedRate(
  calls: readonly TimedCall[],
  limits: Limits,
  work: { fromMs: number; toMs: number },
): string[] {
  const share = shareOfRate(calls, limits, work);
  if (share >= MIN) return [];
  const { fromMs, toMs, count } = emptiestPeriod(calls, limits, work);
  const fewest = `fewest from ${ms(fromMs)} to ${ms(toMs)}: ${count} ${limits.unit}`;
  return [`${share.toFixed(3)} of the rate from ${ms(work.fromMs)} to ${ms(work.toMs)}, ${MIN} expected; ${fewest}`];
}

/**
 * The emptiest period begins with the work, or right after a call: (fromMs, toMs]. It is all of the work if that is
 * shorter.
 */
function emptiestPeriod(
  calls: readonly TimedCall[],
  { unit, perMs }: Limits,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Window {
  const sorted = byTime(calls).filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const widthMs = Math.min(perMs, toMs - fromMs);
  let emptiest: Window = { fromMs, toMs: fromMs + widthMs, count: Number.POSITIVE_INFINITY };
  let [count, end] = [0, 0];
  for (const before of [undefined, ...sorted]) {
    const startMs = before?.atMs ?? fromMs;
    if (before) count -= weightOf(unit, before);
    for (let next = sorted[end]; next && next.atMs <= startMs + widthMs; next = sorted[end]) {
      count += weightOf(unit, next);
      end += 1;
    }
    if (startMs + widthMs <= toMs && count < emptiest.count)
      emptiest = { fromMs: startMs, toMs: startMs + widthMs, count };
  }
  return emptiest;
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;
