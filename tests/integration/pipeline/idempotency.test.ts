import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, post, report, submit } from '../../helpers/client.ts';
import { ndjson, totalsOf, transactions } from '../../helpers/data/transactions.ts';
import { createPublisher } from '../../helpers/publisher.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

describe('Idempotency-Key', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack({ settings: { SLUICE_INBOX_SCHEDULE: '' } });
  });
  afterAll(() => stack?.stop());

  it('returns the first batch for a repeat, and processes its items once', async () => {
    const headers = { 'idempotency-key': 'invoice-run-1' };
    const first = await submit(stack, ndjson(transactions(4)), headers);

    const second = await submit(stack, ndjson(transactions(4)), headers);

    expect(second.id).toBe(first.id);
    await finished(stack, first.id);
    expect(await report(stack, first.id)).toEqual({ 'acme|EUR': totalsOf(4) });
  });

  it('refuses other content under a used key with 422', async () => {
    const headers = { 'idempotency-key': 'invoice-run-2' };
    await submit(stack, ndjson(transactions(4)), headers);

    const response = await post(stack, ndjson(transactions(5)), headers);

    expect(response.status).toBe(422);
  });

  it('returns 409 while another upload holds the key, and the same batch to both when it is done', async () => {
    const headers = { 'idempotency-key': 'invoice-run-3' };
    // A key is claimed when the work begins: when more has arrived than is read in advance.
    const text = ndjson(transactions(600));
    let finish: () => void = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from(text));
        finish = () => controller.close();
      },
    });
    const slow = submit(stack, body, headers);
    await expect.poll(async () => (await post(stack, text, headers)).status).toBe(409);

    finish();
    const first = await slow;

    expect((await submit(stack, text, headers)).id).toBe(first.id);
  });

  it('accepts a corrected upload under the key of a refused one', async () => {
    const headers = { 'idempotency-key': 'invoice-run-4' };
    expect((await post(stack, '{"broken', headers)).status).toBe(400);

    const { id } = await submit(stack, ndjson(transactions(1)), headers);

    expect((await finished(stack, id)).counts.succeeded).toBe(1);
  });

  it('a producer outside the cloud can rerun its script at any point, and gets one batch and its report', async () => {
    const folder = join(stack.folder, 'producer');
    await mkdir(join(folder, 'out'), { recursive: true });
    const publish = await createPublisher(folder, { SLUICE_URL: stack.url, SLUICE_KEY: stack.keys.function });
    const file = join(folder, 'out/usage.ndjson');
    await writeFile(file, ndjson(transactions(7)));
    const killed = await publish(['--folder', 'out', 'billing'], { killAtMove: true });
    await writeFile(join(folder, 'out/wrong.ndjson'), '{"id":"t1"}\n{"id":,}\n');
    const second = await publish(['--folder', 'out', '--wait', 'billing']);

    expect(second.out).toBe(killed.out);
    const id = second.out.trim();
    expect(second.err).toMatch(/refused \(400 malformed-record\): .*\n {2}line 2, column 7: /);
    expect([second.code, await readdir(join(folder, 'out/sent'))]).toEqual([4, [`${id}-usage.ndjson`]]);
    const saved = await readFile(join(folder, `out/reports/${id}.report.ndjson`), 'utf8');
    expect(JSON.parse(saved)).toEqual({ key: 'acme|EUR', value: totalsOf(7) });
  });
});
