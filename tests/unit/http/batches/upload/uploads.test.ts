import type { HttpRequest, InvocationContext } from '@azure/functions';
import { expect, it } from 'vitest';
import { submitOverHttp, UPLOAD_PLACES } from '../../../../../shared/http/batches/upload/uploads.ts';
import { redriveRequestSchema } from '../../../../../shared/http/dead-letters/schemas.ts';
import { createBodyPlaces } from '../../../../../shared/http/edge/request/body-places.ts';
import { jsonBodyOf } from '../../../../../shared/http/edge/request/json-body.ts';
import { createRegistry } from '../../../../../shared/workload/registry.ts';
import { answering } from '../../../../helpers/fakes/answering.ts';
import { memoryBlobs } from '../../../../helpers/fakes/memory-blobs.ts';
import { memoryTable } from '../../../../helpers/fakes/memory-table.ts';
import { workloadOf } from '../../../../helpers/threads/run-chunk.ts';

const limits = { maxBodyBytes: 1_000, maxDecodedBytes: 1_000, maxRecordBytes: 1_000, maxItems: 10 };

/** The dependencies of the handler, with storage in memory. */
function deps() {
  const { table } = memoryTable();
  const gate = { table, now: () => 0 };
  const meter = { knowsServiceTime: () => true };
  return {
    registry: createRegistry([workloadOf(() => 1)]),
    settings: limits,
    uploadPlaces: createBodyPlaces(UPLOAD_PLACES),
    deps: { ...memoryBlobs(), table, keys: table, gate, meter },
  } as never;
}

/** A request for workload `each` with this body. */
const requestWith = (body: AsyncIterable<Uint8Array>): HttpRequest =>
  ({
    url: 'http://localhost/api/workloads/each/batches',
    params: { workload: 'each' },
    query: new URLSearchParams(),
    headers: new Headers({ 'content-type': 'application/x-ndjson' }),
    body,
  }) as unknown as HttpRequest;

async function* brokenOff(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"id":1}\n');
  throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
}

/** The answer of a handler, and its log. */
async function ask(handler: (request: HttpRequest) => Promise<object>, request: HttpRequest) {
  const lines: string[] = [];
  const context = Object.fromEntries(
    ['debug', 'info', 'warn', 'error'].map((level) => [level, (line: string) => lines.push(`${level} ${line}`)]),
  ) as unknown as InvocationContext;
  return { answer: await answering(handler)(request, context), lines };
}

it.each([
  ['an upload', (request: HttpRequest) => submitOverHttp(deps(), request)],
  ['a JSON body', (request: HttpRequest) => jsonBodyOf(request, redriveRequestSchema)],
])('%s that the client aborts is not logged as an error', async (_what, handler) => {
  const { answer, lines } = await ask(handler, requestWith(brokenOff()));

  expect(answer).toMatchObject({ status: 499 });
  expect(answer).not.toHaveProperty('body');
  expect(lines).toEqual(['info {"event":"client-gone","instance":"/api/workloads/each/batches"}']);
});
