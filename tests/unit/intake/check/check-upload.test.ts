import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readPriceSheet } from '../../../../shared/cost/sheet.ts';
import { type CheckRequest, checkUpload, type UploadCheck } from '../../../../shared/intake/check/check-upload.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { byteByByte, cut } from '../uploads.ts';

const limits = { maxBodyBytes: 1e6, maxDecodedBytes: 1e6, maxRecordBytes: 1_000, maxItems: 100_000 };
const item = z.object({ id: z.string(), qty: z.number().int() });
const workload = defineWorkload({ name: 'orders', version: 1, item, map: ({ qty }) => qty });
const check = (body: string | Uint8Array, request: Partial<CheckRequest> = {}): Promise<UploadCheck> =>
  checkUpload({ workload, body: cut(body), format: 'ndjson', encoding: 'identity', limits, ...request });

const good = (n: number): string => `{"id":"${n}","qty":${n}}\n`;
const many = (n: number): string => Array.from({ length: n }, (_, index) => good(index)).join('');

describe('checkUpload', () => {
  it('counts valid items, and groups invalid ones by cause, with line and path', async () => {
    const body = `${good(1)}{"id":"2","qty":"2"}\n\n{"id":"3","qty":"3"}\n{"qty":4}\n`;
    const checked = await check(body);
    expect(checked).toMatchObject({ items: 4, valid: 1, invalid: 3, whole: true, bytes: body.length });
    expect(checked.fault).toBeUndefined();
    expect(checked.causes).toEqual([
      {
        cause: 'invalid: InvalidItem: qty: Invalid input: expected number, received string',
        count: 2,
        examples: [
          { line: 2, path: 'qty', message: 'qty: Invalid input: expected number, received string' },
          { line: 4, path: 'qty', message: 'qty: Invalid input: expected number, received string' },
        ],
      },
      {
        cause: 'invalid: InvalidItem: id: Invalid input: expected string, received undefined',
        count: 1,
        examples: [{ line: 5, path: 'id', message: 'id: Invalid input: expected string, received undefined' }],
      },
    ]);
  });

  it('keeps three examples of a cause', async () => {
    const { causes, invalid } = await check('{"id":"1","qty":"x"}\n'.repeat(1_000));
    expect(invalid).toBe(1_000);
    expect(causes.map(({ count, examples }) => [count, examples.map(({ line }) => line)])).toEqual([
      [1_000, [1, 2, 3]],
    ]);
  });

  it('awaits an asynchronous schema, and counts its errors as invalid items', async () => {
    const slow = {
      '~standard': {
        ...item['~standard'],
        validate: async (value: unknown) => {
          const { qty } = item.parse(value);
          if (qty === 3) throw new TypeError('no connection');
          return qty < 2 ? { value } : { issues: [{ message: 'Too many' }] };
        },
      },
    };
    const { valid, causes } = await check(many(4), { workload: { ...workload, item: slow } });
    expect(valid).toBe(2);
    expect(causes.map(({ cause }) => cause)).toEqual([
      'invalid: InvalidItem: Too many',
      'invalid: TypeError: no connection',
    ]);
  });

  it('handles every rejection of an asynchronous check, so that none ends the process', async () => {
    const refuse = async (): Promise<boolean> => {
      throw new TypeError('no connection');
    };
    const text = z.string().refine(refuse);
    const { invalid, causes } = await check('{"id":"a","by":"b"}\n', {
      workload: { ...workload, item: z.object({ id: text, by: text }) },
    });
    expect(invalid).toBe(1);
    expect(causes.map(({ cause }) => cause)).toEqual(['invalid: TypeError: no connection']);
  });

  it.each([1, 99, 100, 101, 250])('stops after %i items, and reads little more than them', async (maxItems) => {
    let pieces = 0;
    async function* body(): AsyncGenerator<Buffer> {
      for (; pieces < 100; pieces++) yield Buffer.from(many(10));
    }
    const { items, whole } = await check('', { body: body(), maxItems });
    expect({ items, whole }).toEqual({ items: maxItems, whole: false });
    expect(pieces).toBeLessThan(45);
  });

  it('reports a complete read if the upload ends at the last requested item', async () => {
    expect(await check(many(100), { maxItems: 100, size: 2_180 })).toMatchObject({ items: 100, whole: true });
    expect(await check(many(101), { maxItems: 100 })).toMatchObject({ items: 100, whole: false });
  });

  it('stops after `maxBytes`, and reports no fault for the record that is cut in two', async () => {
    const checked = await check('', { body: byteByByte(many(50)), maxBytes: 107 });
    expect(checked).toMatchObject({ items: 5, bytes: 107, whole: false });
    expect(checked.fault).toBeUndefined();
    const all = await check('', { body: byteByByte(many(50)), maxBytes: Buffer.byteLength(many(50)) });
    expect(all).toMatchObject({ items: 50, whole: true });
    const zipped = await check('', { body: byteByByte(gzipSync(many(50))), encoding: 'gzip', maxBytes: 60 });
    expect(zipped).toMatchObject({ bytes: 60, whole: false });
    expect(zipped.fault).toBeUndefined();
  });

  it('stops when its signal aborts', async () => {
    const stop = new AbortController();
    async function* body(): AsyncGenerator<Buffer> {
      for (let n = 0; ; n++) {
        if (n === 5) stop.abort();
        yield Buffer.from(good(n));
      }
    }
    expect(await check('', { body: body(), signal: stop.signal })).toMatchObject({ items: 6, whole: false });
  });

  it('stops when its signal aborts, even if the schema never responds', async () => {
    const stop = new AbortController();
    const validate = async (): Promise<never> => {
      stop.abort();
      return new Promise(() => {});
    };
    const waiting = { '~standard': { ...item['~standard'], vendor: 'test', validate } };
    const checked = await check(many(3), { workload: { ...workload, item: waiting }, signal: stop.signal });
    expect(checked).toMatchObject({ items: 0, whole: false });
  });

  it('reports unreadable data as a fault, with the results before it', async () => {
    const broken = await check(`${many(3)}{"id":\n${many(2)}`);
    expect(broken).toMatchObject({ items: 3, valid: 3, whole: false, fault: { line: 4, column: 7 } });
    const array = await check('[{"id":"1","qty":1},\n{"id":"2"},{]', { format: 'json' });
    expect(array).toMatchObject({ items: 2, valid: 1, invalid: 1, fault: { line: 2, column: 14 } });
    const csv = await check('id,qty\n1,2\n3\n', { format: 'csv' });
    expect(csv).toMatchObject({ items: 1, fault: { line: 3 } });
    expect(await check('')).toMatchObject({ items: 0, fault: { line: 1, message: 'The upload contains no record.' } });
    expect(await check('no gzip', { encoding: 'gzip' })).toMatchObject({ items: 0, fault: { line: 1, column: 1 } });
  });

  it('does not report faults after the requested items', async () => {
    const checked = await check(`${many(100)}{"id":\n`, { maxItems: 3 });
    expect(checked.fault === undefined || checked.items < 3).toBe(true);
  });

  it('reports the dialect of CSV', async () => {
    const { items, csv } = await check('id,qty\n1,2\n', { format: 'csv' });
    expect(items).toBe(1);
    expect(csv?.columns.map(({ header }) => header)).toEqual(['id', 'qty']);
  });

  it('estimates the whole upload from its size, unless it would be refused', async () => {
    const body = many(10_000);
    const all = { size: body.length, prices: readPriceSheet('2026') };
    const { estimate } = await check(body, { ...all, body: cut(body, [5_000, 10_000]), maxItems: 100 });
    expect(estimate?.items).toBeGreaterThan(8_000);
    expect(estimate?.items).toBeLessThan(30_000);
    expect(estimate?.usd).toBeGreaterThan(0);
    expect((await check(body, { prices: readPriceSheet('2026') })).estimate).toMatchObject({
      items: 10_000,
      chunks: 2,
    });
    expect((await check('{', all)).estimate).toBeUndefined();
  });
});
