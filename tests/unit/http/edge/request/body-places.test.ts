import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBodyPlaces } from '../../../../../shared/http/edge/request/body-places.ts';

const KiB = 1024;
const LIMITS = { bodies: 3, arriving: 2, headBytes: 1024 * KiB, waiting: 4 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The body of a client that has sent `bytes`, and then waits for `more`. */
async function* body(bytes: number, more?: Promise<unknown>): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= 16 * KiB) yield Buffer.alloc(Math.min(left, 16 * KiB));
  await more;
}
const never = new Promise<never>(() => {});

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const { length } of pieces) bytes += length;
  return bytes;
}

/** Follows an upload: whether its work has begun, and how it ended. */
function follow(places: ReturnType<typeof createBodyPlaces>, pieces: AsyncIterable<Uint8Array>) {
  const state: { begun: boolean; end?: unknown } = { begun: false };
  const work = (all: AsyncIterable<Uint8Array>): Promise<number> => {
    state.begun = true;
    return bytesOf(all);
  };
  places.read(pieces, work).then(
    (bytes) => {
      state.end = bytes;
    },
    (error: unknown) => {
      state.end = error;
    },
  );
  return state;
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('any number of clients that have sent little take no place', async () => {
  const places = createBodyPlaces(LIMITS);
  const slow = Array.from({ length: 20 }, () => follow(places, body(KiB, never)));
  await settle();
  const honest = [follow(places, body(KiB)), follow(places, body(500 * KiB))];
  await settle();

  expect(slow.filter(({ begun }) => begun)).toEqual([]);
  expect(honest.map(({ end }) => end)).toEqual([KiB, 500 * KiB]);
});

test('clients that stop after a large beginning leave places to bodies that have arrived', async () => {
  const places = createBodyPlaces(LIMITS);
  const slow = Array.from({ length: 4 }, () => follow(places, body(100 * KiB, never)));
  await settle();
  const small = follow(places, body(10 * KiB));
  await settle();

  expect(slow.filter(({ begun }) => begun)).toHaveLength(2);
  expect(small.end).toBe(10 * KiB);
});

test('a place that becomes free goes to the next upload, which is read completely', async () => {
  const places = createBodyPlaces({ ...LIMITS, bodies: 1, arriving: 1 });
  const more = Promise.withResolvers<void>();
  const first = follow(places, body(100 * KiB, more.promise));
  await settle();
  const [second, third] = [follow(places, body(200 * KiB)), follow(places, body(KiB))];
  await settle();
  expect([second.begun, third.begun]).toEqual([false, false]);

  more.resolve();
  await settle();
  expect([first.end, second.end, third.end]).toEqual([100 * KiB, 200 * KiB, KiB]);
});

test('a client that goes while it waits leaves the queue, and its upload never begins', async () => {
  const places = createBodyPlaces({ ...LIMITS, arriving: 1, waiting: 1 });
  const first = Promise.withResolvers<void>();
  follow(places, body(100 * KiB, first.promise));
  await settle();
  const leaving = Promise.withResolvers<never>();
  const gone = follow(places, body(64 * KiB, leaving.promise));
  await settle();
  leaving.reject(new Error('aborted'));
  await settle();
  expect(gone).toMatchObject({ begun: false, end: { message: 'aborted' } });

  const next = follow(places, body(200 * KiB));
  await settle();
  first.resolve();
  await settle();
  expect([gone.begun, next.end]).toEqual([false, 200 * KiB]);
});

test('an upload is refused if too many wait, if it waits for too long, or if too many are arriving', async () => {
  const places = createBodyPlaces({ ...LIMITS, bodies: 1, arriving: 1, waiting: 1, headBytes: 150 * KiB });
  follow(places, body(100 * KiB, never));
  await settle();
  const late = follow(places, body(100 * KiB));
  await settle();
  const many = follow(places, body(100 * KiB));
  await settle();
  expect(many.end).toMatchObject({
    type: 'busy',
    message: '1 requests of this kind are waiting in this instance. Try again later.',
  });
  await vi.advanceTimersByTimeAsync(100_000);
  expect(late).toMatchObject({
    begun: false,
    end: { type: 'busy', message: expect.stringContaining('took too long') },
  });

  const arriving = Array.from({ length: 10 }, () => follow(places, body(16 * KiB, never)));
  await settle();
  expect(arriving.map(({ end }) => end === undefined)).toEqual([...Array(9).fill(true), false]);
  expect(arriving[9]?.end).toMatchObject({ type: 'busy' });
});
