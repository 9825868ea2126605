/** The time by the storage service: times compared across machines must not be those of two local clocks. */

/** The two local time sources; replaced in tests. */
export interface LocalClocks {
  /** Milliseconds since any fixed moment, never set back. */
  monotonicMs(): number;
  /** Milliseconds since 1970 by this machine: used only before the first response. */
  wallMs(): number;
}

/** A clock set by the Date headers of responses. */
export interface ServiceClock {
  /** Takes over the Date header of a response to a request sent at `sentAtMs` (monotonic). A header that is no date is ignored. */
  observe(dateHeader: string | undefined, sentAtMs: number): void;
  /** Milliseconds since 1970 by the service, at most about a second and one round trip behind. */
  nowMs(): number;
  /** Whether a response has set it. */
  isSet(): boolean;
}

/** A Date header names a whole second (RFC 9110, 5.6.7). */
const DATE_RESOLUTION_MS = 1_000;

/**
 * Makes the clock. A header allows any time from its second to the next one plus the round trip; the clock moves only as
 * far as it must to lie within. Taking each header as it stands would set the clock back by up to a second each time.
 */
export function createServiceClock(local: LocalClocks): ServiceClock {
  let offsetMs: number | undefined;
  return {
    observe(dateHeader, sentAtMs) {
      const earliest = Date.parse(dateHeader ?? '');
      if (Number.isNaN(earliest)) return;
      const receivedAtMs = local.monotonicMs();
      const latest = earliest + DATE_RESOLUTION_MS + (receivedAtMs - sentAtMs);
      const expected = receivedAtMs + (offsetMs ?? Number.NEGATIVE_INFINITY);
      offsetMs = Math.min(Math.max(expected, earliest), latest) - receivedAtMs;
    },
    nowMs: () => (offsetMs === undefined ? local.wallMs() : Math.floor(local.monotonicMs() + offsetMs)),
    isSet: () => offsetMs !== undefined,
  };
}
