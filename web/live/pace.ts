/**
 * The polling interval of a page: short while data changes, then longer, and after half an hour no polling until the
 * user clicks, presses a key or returns to the tab. Otherwise, open tabs that nobody watches would cause cost.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const MOVING_MS = 3 * SECOND;
/** While data does not change: the interval by the time since the last change, click, key press or return; then no polling. */
const STILL: readonly { untilMs: number; everyMs: number }[] = [
  { untilMs: MINUTE, everyMs: 10 * SECOND },
  { untilMs: 10 * MINUTE, everyMs: 30 * SECOND },
  { untilMs: 30 * MINUTE, everyMs: MINUTE },
];
/** After this time without a click, key press or return, the page counts as unattended, even if its data changes. */
const UNATTENDED = { afterMs: 30 * MINUTE, everyMs: MINUTE };

/** What determines the interval; times in milliseconds. */
export interface Activity {
  isMoving: boolean;
  /** Time of the last response whose data was changing. */
  movedAt: number;
  /** Time of the last click, key press or return to the tab. */
  touchedAt: number;
}

/** Computes the milliseconds until the next refresh; undefined means none until the user returns. */
export function everyMs({ isMoving, movedAt, touchedAt }: Activity, nowMs: number): number | undefined {
  if (isMoving) return nowMs - touchedAt > UNATTENDED.afterMs ? UNATTENDED.everyMs : MOVING_MS;
  const stillMs = nowMs - Math.max(movedAt, touchedAt);
  return STILL.find(({ untilMs }) => stillMs < untilMs)?.everyMs;
}
