import { describe, expect, it } from 'vitest';
import { createServiceClock } from '../../../shared/cost/service-clock.ts';

const T = Date.parse('2026-03-03T10:00:00Z');
const header = (seconds: number) => new Date(T + seconds * 1_000).toUTCString();

function startClock() {
  const local = { monotonic: 50, wall: 7 };
  const clock = createServiceClock({ monotonicMs: () => local.monotonic, wallMs: () => local.wall });
  /** Simulates a response with this Date that arrives at a monotonic time, after a round trip. */
  const respond = (date: string | undefined, atMs: number, roundTripMs = 0) => {
    local.monotonic = atMs;
    clock.observe(date, atMs - roundTripMs);
    return clock.nowMs() - T;
  };
  return { clock, local, respond };
}

describe('the service clock', () => {
  it('is the local clock until the first response', () => {
    const { clock, respond } = startClock();
    expect([clock.nowMs(), clock.isSet()]).toEqual([7, false]);

    respond('no date', 100);
    expect(clock.isSet()).toBe(false);
    respond(header(0), 200);
    expect(clock.isSet()).toBe(true);
  });

  it('continues from the last Date header with the elapsed time', () => {
    const { clock, local, respond } = startClock();

    respond(header(0), 100);
    local.monotonic = 350;

    expect(clock.nowMs()).toBe(T + 250);
  });

  it('is not set back by a header of the current second', () => {
    const { respond } = startClock();

    expect([respond(header(0), 100), respond(header(0), 900)]).toEqual([0, 800]);
  });

  it('is set forward by a header ahead of it', () => {
    const { respond } = startClock();

    expect([respond(header(0), 100), respond(header(1), 200)]).toEqual([0, 1_000]);
  });

  it('is set back no further than the header and its round trip require', () => {
    const { respond } = startClock();

    expect([respond(header(60), 100), respond(header(0), 200, 40)]).toEqual([60_000, 1_040]);
  });

  it.each([undefined, '', 'soon'])('ignores %j', (date) => {
    const { respond } = startClock();

    expect([respond(header(0), 100), respond(date, 200)]).toEqual([0, 100]);
  });
});
