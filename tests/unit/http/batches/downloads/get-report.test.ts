import { describe, expect, it } from 'vitest';
import { toBatchEntity } from '../../../../../shared/batches/batch-row.ts';
import { encodeFrameSync, skippableFrame } from '../../../../../shared/contract/frame.ts';
import { reportBlobName } from '../../../../../shared/contract/names.ts';
import { getReport } from '../../../../../shared/http/batches/downloads/get-report.ts';
import { BATCH, batchRowOf } from '../../../../helpers/data/factories.ts';
import { memoryBlobs } from '../../../../helpers/fakes/memory-blobs.ts';
import { memoryTable } from '../../../../helpers/fakes/memory-table.ts';
import { requestFor } from '../../requests.ts';

const counts = { accepted: 9, succeeded: 9, dead: 0, discarded: 0, cancelled: 0 };
const headerOf = (rows: number) => ({
  ...{ batch: BATCH, revision: 0, counts, rows, createdAt: '2026-01-01T00:00:00.000Z' },
});

/** Stores a report of these lines, and returns a function that gets it in a format, and another that returns how many bytes were read. */
async function stored(lines: readonly string[]) {
  const [{ table }, { container, put, downloaded }] = [memoryTable(), memoryBlobs()];
  await table.createEntity(toBatchEntity(batchRowOf({ id: BATCH, state: 'completed', reportRevision: 0 })));
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const head = skippableFrame(Buffer.from(JSON.stringify(headerOf(lines.length))));
  const body = Buffer.concat([head, encodeFrameSync(text)]);
  put('reports', reportBlobName(BATCH, 0), body);
  const get = async (format: string) => {
    const request = requestFor(`batches/${BATCH}/report?format=${format}`);
    Object.assign(request.params, { id: BATCH });
    return getReport({ table, container }, request);
  };
  return { get, bytes: body.length, read: () => downloaded.get(`reports/${reportBlobName(BATCH, 0)}`) ?? 0 };
}

async function textOf(pieces: AsyncIterable<string> | undefined): Promise<string> {
  const texts: string[] = [];
  for await (const piece of pieces ?? []) texts.push(piece);
  return texts.join('');
}

const lineOf = (key: string, value: unknown): string => JSON.stringify({ key, value });

describe('a report', () => {
  const lines = [lineOf('ä', { a: 1 }), lineOf('b', { c: '=x', a: 2 }), lineOf('c', 7), lineOf('d'.repeat(600_000), 8)];

  it.each([
    ['ndjson', lines.map((line) => `${line}\n`).join('')],
    ['json', `${JSON.stringify(headerOf(4)).slice(0, -1)},"items":[${lines.join(',')}]}`],
    ['csv', `key,a,c,value\r\nä,1,,\r\nb,2,'=x,\r\nc,,,7\r\n${'d'.repeat(600_000)},,,8\r\n`],
  ])('is complete as %s, also where a line is longer than the pieces that are read', async (format, text) => {
    const { get } = await stored(lines);
    const { stream, headers } = await get(format);
    expect(await textOf(stream)).toBe(text);
    expect(new Headers(headers).get('sluice-report-rows')).toBe('4');
  });

  it.each([
    ['ndjson', ''],
    ['json', `${JSON.stringify(headerOf(0)).slice(0, -1)},"items":[]}`],
    ['csv', 'key,value\r\n'],
  ])('without a key is complete as %s', async (format, text) => {
    const { get } = await stored([]);
    expect(await textOf((await get(format)).stream)).toBe(text);
  });

  it.each([
    ['ndjson', 1],
    ['json', 1],
    ['csv', 2],
  ])('is sent as %s while it is read, and not held', async (format, times) => {
    const many = Array.from({ length: 200_000 }, (_, n) => lineOf(`account-${n}`, { items: n, amount: n / 100 }));
    const { get, bytes, read } = await stored(many);
    const { stream } = await get(format);
    const pieces = stream?.[Symbol.asyncIterator]();

    let text = '';
    while (text.length < 10_000) text += (await pieces?.next())?.value;

    expect(read()).toBeGreaterThan((times - 1) * bytes);
    expect(read()).toBeLessThan((times - 0.5) * bytes);
    await pieces?.return?.();
    const readUntilNow = read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(read()).toBe(readUntilNow);
  });
});
