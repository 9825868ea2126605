import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textBody } from '../../../../shared/http/edge/body.ts';
import { connectionOf } from '../../../../shared/http/edge/connection.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { SILENT_LOG } from '../../../helpers/fakes/silent-log.ts';

const PIECE = 'x'.repeat(100_000);

/** How far each source was read, and what became of the answer, by invocation. */
const read: Record<string, number> = {};
const ends: Record<string, Promise<unknown>> = {};

async function* source(id: string, failsAfter: number): AsyncGenerator<string> {
  for (let sent = 1; ; sent += 1) {
    if (sent > failsAfter) throw new Error('no more');
    read[id] = sent;
    yield PIECE;
  }
}

/** Answers as the library does: it waits neither for the client nor ends an answer whose body fails. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = String(request.headers['x-ms-invocation-id']);
  const body = await textBody(source(id, id === 'fails' ? 2 : 1000), connectionOf(id));
  for await (const chunk of body) response.write(chunk);
  response.end();
}

const server = createServer((request, response) => {
  const id = String(request.headers['x-ms-invocation-id']);
  ends[id] = withLog(SILENT_LOG, () => answer(request, response)).catch((error: unknown) => error);
});
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')));
afterAll(() => void server.close());

async function request(id: string): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const sent = get({ port, host: '127.0.0.1', headers: { 'x-ms-invocation-id': id } });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

describe('the connection of an answer', () => {
  it('is cut if the body fails, so that the host ends the invocation and the client sees it', async () => {
    const response = await request('fails');
    await expect(response.toArray()).rejects.toThrow('aborted');
    expect(await ends.fails).toMatchObject({ message: 'no more' });
  });

  it('holds back a body that its client does not read, and ends it when the client goes', async () => {
    const response = await request('slow');
    await expect.poll(() => read.slow).toBeGreaterThan(1);
    const before = await settled();
    expect(before * PIECE.length).toBeLessThan(20_000_000);
    response.destroy();
    expect(await ends.slow).toBeUndefined();
    expect(read.slow).toBeLessThan(before + 5);
  });
});

/** Waits until the source of the slow answer is not read any further. */
async function settled(): Promise<number> {
  for (let last = -1; ; ) {
    if (read.slow === last) return last;
    last = read.slow ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
