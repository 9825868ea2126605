import type { HttpRequest } from '@azure/functions';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requestBody } from '../../../../../shared/http/edge/request/request-body.ts';

const BYTES = Buffer.from('{"id":1}\n');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function read(body: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of requestBody({ body } as unknown as HttpRequest)) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** How reading a body ends within `minutes`: with its length, with the type of a problem, or not at all. */
async function endOf(body: AsyncIterable<Uint8Array>, minutes: number): Promise<number | string | undefined> {
  let end: number | string | undefined;
  read(body).then(
    (text) => {
      end = text.length;
    },
    (error: { type: string }) => {
      end = error.type;
    },
  );
  await vi.advanceTimersByTimeAsync(minutes * 60_000);
  return end;
}

/** `count` pieces, one every `seconds`. */
async function* drip(seconds: number, bytes: number, count = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < count; sent += 1) {
    yield Buffer.alloc(bytes);
    await new Promise((done) => setTimeout(done, seconds * 1_000));
  }
}

async function* silentAfter(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  await new Promise(() => {});
}

test('a silent body ends with a problem after a minute', async () => {
  expect(await endOf(silentAfter(BYTES), 0.9)).toBeUndefined();
  expect(await endOf(silentAfter(BYTES), 1.1)).toBe('upload-stalled');
});

test('a body of a few bytes per second ends with a problem, however long its client keeps sending', async () => {
  expect(await endOf(drip(1, 1), 1.1)).toBe('upload-stalled');
  expect(await endOf(drip(50, 1), 1.1)).toBe('upload-stalled');
});

test('what a client has sent fast does not let it send slowly afterwards', async () => {
  async function* fastThenSlow(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(100_000_000);
    yield* drip(1, 100);
  }
  expect(await endOf(fastThenSlow(), 1.1)).toBe('upload-stalled');
});

test('a body may arrive at 4 KiB per second, and with pauses of nearly a minute if it arrives faster otherwise', async () => {
  expect(await endOf(drip(1, 4_100, 300), 6)).toBe(4_100 * 300);
  expect(await endOf(drip(55, 300_000, 5), 6)).toBe(300_000 * 5);
});

test('the time that the app takes between two reads does not count against its client', async () => {
  const bodies = requestBody({ body: drip(0, 10, 3) } as unknown as HttpRequest);
  let bytes = 0;
  const reading = (async () => {
    for await (const part of bodies) {
      bytes += part.length;
      await new Promise((done) => setTimeout(done, 600_000));
    }
  })();
  await vi.advanceTimersByTimeAsync(3_600_000);
  await reading;
  expect(bytes).toBe(30);
});

test('a body that arrives in pieces is read to its end', async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield BYTES;
    yield BYTES;
  }
  expect(await read(pieces())).toBe('{"id":1}\n{"id":1}\n');
});

test('a missing body counts as empty', async () => {
  expect(await read(undefined)).toBe('');
});

test('a body that is not read to its end is released', async () => {
  let released = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield BYTES;
    } finally {
      released = true;
    }
  }
  for await (const _part of requestBody({ body: endless() } as unknown as HttpRequest)) break;
  await vi.advanceTimersByTimeAsync(0);
  expect(released).toBe(true);
});
