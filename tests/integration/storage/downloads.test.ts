import type { Readable } from 'node:stream';
import { carryOut } from 'functions-local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isOutage } from '../../../shared/errors.ts';
import { readRange } from '../../../shared/processing/fetch-frames.ts';
import { downloadedPieces } from '../../../shared/storage/blob-reads.ts';
import { RETRY_LIMITS } from '../../../shared/storage/policies/retry-limits.ts';
import { BATCH } from '../../helpers/data/factories.ts';
import { readReport } from '../../helpers/data/read-report.ts';
import { type Storage, startStorage } from '../in-process/storage.ts';

const BYTES = Buffer.alloc(100_000, 'x');
const NAME = `${BATCH}/0000.ndjson.zst`;

let storage: Storage;
let isBroken = false;
beforeAll(async () => {
  storage = await startStorage({
    client: {
      intercept: (call, forward) =>
        isBroken && call.method === 'GET' ? carryOut({ kind: 'resetInBody' }, call, forward) : forward(),
    },
    limits: { ...RETRY_LIMITS, firstDelayMs: 1 },
  });
  for (const name of ['payloads', 'reports', 'inbox'])
    await storage.clients.container(name).getBlockBlobClient(NAME).upload(BYTES, BYTES.length);
  isBroken = true;
});
afterAll(() => storage.stop());

/** The error of a read whose response always breaks off. */
const READS: Record<string, () => Promise<unknown>> = {
  'a frame': () =>
    readRange(storage.clients.container('payloads'), {
      container: 'payloads',
      blob: NAME,
      offset: 0,
      length: BYTES.length,
    }),
  'a report': () => readReport(storage.clients.container('reports'), BATCH, 0),
  'a file of the inbox': async () => {
    const { readableStreamBody } = await storage.clients.container('inbox').getBlobClient(NAME).download();
    for await (const _piece of downloadedPieces(readableStreamBody as Readable));
  },
};

test.each(Object.entries(READS))(
  '%s whose bytes always break off is an outage that charges no item',
  async (_what, read) => {
    const error: unknown = await read().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );

    expect(error).toBeInstanceOf(Error);
    expect(isOutage(error)).toBe(true);
  },
);
