/** The time of the storage service. Times of different machines are compared by it, because local clocks differ. */

/** The two local time sources; replaced in tests. */
export interface LocalClocks {
  /** Milliseconds since any fixed moment; never decreases. */
  monotonicMs(): number;
  /** Milliseconds since 1970 by the clock of this machine; used only before the first response. */
  wallMs(): number;
}

/** A Date header has a resolution of one second (RFC 9110, 5.6.7). */
const DATE_RESOLUTION_MS = 1_000;

/**
 * Creates a clock that the Date headers of responses set. A header permits any time from its second until the next second plus the round trip. The clock
 * changes only as far as necessary to be within that range: setting it to each header would set it back by up to a
 * second each time.
 */
export function createServiceClock(local: LocalClocks) {
  let offsetMs: number | undefined;
  return {
    /** Reads the Date header of the response to a request sent at `sentAtMs` (monotonic). Ignores a header that is no date. */
    observe: (dateHeader: string | undefined, sentAtMs: number): void => {
      const earliest = Date.parse(dateHeader ?? '');
      if (Number.isNaN(earliest)) return;
      const receivedAtMs = local.monotonicMs();
      const latest = earliest + DATE_RESOLUTION_MS + (receivedAtMs - sentAtMs);
      const expected = receivedAtMs + (offsetMs ?? Number.NEGATIVE_INFINITY);
      offsetMs = Math.min(Math.max(expected, earliest), latest) - receivedAtMs;
    },
    /** Returns milliseconds since 1970 by the service's clock, at most about one second and one round trip behind it. */
    nowMs: (): number => (offsetMs === undefined ? local.wallMs() : Math.floor(local.monotonicMs() + offsetMs)),
    isSet: (): boolean => offsetMs !== undefined,
  };
}
