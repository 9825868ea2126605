/**
 * How often a page looks: often only while something moves, then less and less, and after half an hour no more until
 * somebody clicks. Whoever leaves a tab open pays for looks that nobody sees.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** While something moves. */
const MOVING_MS = 3 * SECOND;
/** While nothing moves: until so long after the last movement, every so often; then not at all. */
const STILL: readonly { untilMs: number; everyMs: number }[] = [
  { untilMs: MINUTE, everyMs: 10 * SECOND },
  { untilMs: 10 * MINUTE, everyMs: 30 * SECOND },
  { untilMs: 30 * MINUTE, everyMs: MINUTE },
];
/** Without a key or a click for so long, nobody is taken to look closely, whatever moves. */
const UNATTENDED = { afterMs: 30 * MINUTE, everyMs: MINUTE };

/** What the pace of a look goes by; times in milliseconds. */
export interface Activity {
  isMoving: boolean;
  /** When something moved for the last time. */
  movedAt: number;
  /** When somebody pressed a key or a button for the last time. */
  touchedAt: number;
}

/** Computes the milliseconds until the next look; undefined: none until somebody goes on. */
export function everyMs({ isMoving, movedAt, touchedAt }: Activity, nowMs: number): number | undefined {
  if (isMoving) return nowMs - touchedAt > UNATTENDED.afterMs ? UNATTENDED.everyMs : MOVING_MS;
  const stillMs = nowMs - Math.max(movedAt, touchedAt);
  return STILL.find(({ untilMs }) => stillMs < untilMs)?.everyMs;
}
