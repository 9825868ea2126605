import type { HttpRequest } from '@azure/functions';
import { expect, test } from 'vitest';
import { requestBody } from '../../../../../shared/http/edge/request/request-body.ts';

const BYTES = Buffer.from('{"id":1}\n');

async function read(body: AsyncIterable<Uint8Array> | undefined, maxSilenceMs: number): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of requestBody({ body } as unknown as HttpRequest, maxSilenceMs)) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function* silentAfter(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  await new Promise(() => {});
}

test('a silent body ends with a problem and does not hold its slot indefinitely', async () => {
  await expect(read(silentAfter(BYTES), 20)).rejects.toMatchObject({ type: 'upload-stalled', status: 408 });
});

test('a body that arrives in pieces is read to its end', async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield BYTES;
    yield BYTES;
  }
  expect(await read(pieces(), 10_000)).toBe('{"id":1}\n{"id":1}\n');
});

test('a missing body counts as empty', async () => {
  expect(await read(undefined, 10_000)).toBe('');
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
  await new Promise((done) => setImmediate(done));
  expect(released).toBe(true);
});
