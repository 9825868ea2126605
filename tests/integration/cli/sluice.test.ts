import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { freePort } from 'functions-local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../../cli/api/client.ts';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { kindOfStream } from '../../../cli/upload/kind.ts';
import { OverHttpLimit } from '../../../cli/upload/send/body.ts';
import { postBatch } from '../../../cli/upload/send/post-batch.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';
import type { QueueView } from '../../../shared/http/queues/schemas.ts';
import { type CliRun, runCli } from '../../helpers/cli.ts';
import { queueOf } from '../../helpers/client.ts';
import { csv, ndjson, totalsOf, transactions } from '../../helpers/data/transactions.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';
import { command } from './command.ts';

const TO_BILLING = ['--workload', 'billing'];
const GOOD = 'good.ndjson';
const BAD = 'bad.ndjson';
const LARGE = 5_000;
let stack: TestStack;
/** The command as a separate process, as users run it. */
let program: ReturnType<typeof command>;

beforeAll(async () => {
  stack = await startStack({ settings: { SLUICE_MAX_BODY_BYTES: '100000', SLUICE_INBOX_SCHEDULE: '*/2 * * * * *' } });
  program = command(stack, stack.folder);
  await writeFile(join(stack.folder, GOOD), ndjson(transactions(100)));
  const bad = transactions(20).map((item, n) => (n === 7 ? { ...item, currency: 'XXX' } : item));
  await writeFile(join(stack.folder, BAD), ndjson(bad));
});
afterAll(() => stack?.stop());

/** The command in this process. Most tests use it, because a process takes a second of CPU time. */
const sluice: typeof program = (args, { env = {}, stdin = '' } = {}): Promise<CliRun> => {
  const known = { SLUICE_URL: stack.url, SLUICE_KEY: stack.keys.function };
  return runCli(args, { env: { ...known, ...env }, folder: stack.folder, stdin });
};
const batchOf = ({ out }: Pick<CliRun, 'out'>): BatchView & { idempotencyKey: string; isRepeat: boolean } =>
  JSON.parse(out);
const submit = async (file: string, ...more: string[]) =>
  batchOf(await sluice(['submit', file, ...TO_BILLING, '--json', ...more]));

describe('submit', () => {
  it('submits a file only once if the command is repeated', async () => {
    const first = await program(['submit', GOOD, ...TO_BILLING, '--wait', '--json']);
    expect(batchOf(first)).toMatchObject({ state: 'completed', counts: { succeeded: 100 }, lane: 'normal' });
    expect(first.code).toBe(EXIT.done);
    const again = await program(['submit', GOOD, ...TO_BILLING]);
    expect(again.out).toContain(
      `as batch ${batchOf(first).id}: completed. It is not processed twice; --again submits it as a new batch.`,
    );
    expect((await program(['submit', GOOD, ...TO_BILLING, '--quiet'])).out).toBe(`${batchOf(first).id}\n`);
    expect((await submit(GOOD, '--again')).id).not.toBe(batchOf(first).id);
  });

  it('submits standard input of any format, and prints the key with which it can be repeated', async () => {
    const stdin = csv(transactions(5));
    const sent = await program(['submit', '-', ...TO_BILLING, '--format', 'csv', '--lane', 'bulk', '--json'], {
      stdin,
    });
    const { id, idempotencyKey, lane, isRepeat } = batchOf(sent);
    expect([lane, isRepeat]).toEqual(['bulk', false]);
    expect(sent.err).toContain(`Idempotency key: ${idempotencyKey}\n`);
    const again = ['submit', '-', ...TO_BILLING, '--format', 'csv', '--idempotency-key', idempotencyKey, '--json'];
    expect(batchOf(await program(again, { stdin })).id).toBe(id);
    const other = await program(again, { stdin: csv(transactions(6)) });
    expect([other.code, other.err]).toEqual([EXIT.refused, expect.stringContaining('422 idempotency-mismatch')]);
  });

  it('sends a compressed file unchanged', async () => {
    await writeFile(join(stack.folder, 'packed.json.gz'), gzipSync(JSON.stringify(transactions(3))));
    expect((await submit('packed.json.gz', '--wait')).counts.succeeded).toBe(3);
  });

  it('exits with 5 if there are dead letters', async () => {
    const { code, out, err } = await program(['submit', BAD, ...TO_BILLING, '--wait']);
    expect(code).toBe(EXIT.deadLetters);
    expect(out).toContain(
      'State: completedWithDeadLetters\nItems: 20 accepted, 19 succeeded, 1 dead letters, 0 retried\n',
    );
    expect(err).toContain('Upload  [########################]');
  });

  it('exits with 9 if no item is valid, and prints the causes', async () => {
    const stdin = 'Name;Amount\nMiller;12\nSmith;9\n';
    const { code, out } = await program(['submit', '-', ...TO_BILLING, '--format', 'csv', '--wait'], { stdin });
    expect(code).toBe(EXIT.suspect);
    expect(out).toContain(
      'State: suspect\nSuspect: None of the items is valid. The file or the schema is probably wrong.\n  2 items: invalid: ',
    );
    expect(out).toContain('\n    for example at position 0: ');
    expect((await program(['batches', '--state', 'suspect'])).out).toMatch(/ billing +normal +suspect +2 +0 +2 /);
  });

  it.each([
    ['invalid record', ['-'], '{"id":1}\n{"id":\n', EXIT.refused, '(400 malformed-record)\n  Line 2, column 7: '],
    ['empty input', ['-'], '', EXIT.refused, '(400 empty-batch)'],
    [
      'unknown lane',
      ['-', '--lane', 'fast'],
      '{}',
      EXIT.refused,
      'lane must be one of high, normal, bulk; got "fast".',
    ],
    [
      'unknown workload',
      ['-', '--workload', 'none'],
      '{}',
      EXIT.notFound,
      'There is no workload "none"; there are: billing',
    ],
  ])('reports the error of the app: %s', async (_what, args, stdin, exit, message) => {
    const { code, out, err } = await sluice(['submit', ...TO_BILLING, ...args], { stdin });
    expect([code, out, err]).toEqual([exit, '', expect.stringContaining(message)]);
  });
});

describe('an upload over the limit of a request', () => {
  /** Random text, whose compressed size is at least 1.5 times the limit. */
  const large = (): string =>
    ndjson(transactions(LARGE).map((item) => ({ ...item, id: randomBytes(32).toString('hex') })));

  it('goes through the inbox with the same key', async () => {
    await writeFile(join(stack.folder, 'large.ndjson'), large());
    const alone = await sluice(['submit', 'large.ndjson', ...TO_BILLING]);
    expect([alone.code, alone.err]).toEqual([EXIT.refused, expect.stringContaining('--inbox-connection')]);
    const env = { SLUICE_INBOX_CONNECTION: stack.storage };
    const { code, out } = await sluice(['submit', 'large.ndjson', ...TO_BILLING, '--wait', '--json'], { env });
    const name = expect.stringMatching(/^billing\/\w{12}-large\.ndjson\.zst$/);
    expect(JSON.parse(out)).toMatchObject({
      state: 'completed',
      counts: { accepted: LARGE },
      source: { kind: 'inbox', name },
    });
    expect(code).toBe(EXIT.done);
    const again = await sluice(['submit', 'large.ndjson', ...TO_BILLING, '--wait', '--json'], { env });
    expect(batchOf(again).id).toBe(JSON.parse(out).id);
  });

  it('is stopped by the client before the platform closes the connection', async () => {
    const settings = { url: stack.url, key: stack.keys.function, operatorKey: undefined };
    const kind = kindOfStream({});
    const post = { workload: 'billing', kind, userAgent: 'test', maxBytes: 70_000, onProgress: () => {} };
    const sending = postBatch(createApi(settings, fetch), { ...post, source: Readable.from([large()]) });
    await expect(sending).rejects.toBeInstanceOf(OverHttpLimit);
  });

  it('goes from standard input to the inbox with --via, and a rejection is reported', async () => {
    const args = ['submit', '-', ...TO_BILLING, '--via', 'inbox', '--inbox-connection', stack.storage, '--wait'];
    const { code, err } = await sluice(args, { stdin: '{"a":1}\nx\n' });
    expect([code, err]).toEqual([EXIT.refused, expect.stringContaining('Line 2, column 1')]);
    const stdin = large();
    const refused = await sluice(['submit', '-', ...TO_BILLING], { stdin });
    expect([refused.code, refused.err]).toEqual([EXIT.refused, expect.stringContaining('Repeat it with --via inbox')]);
    expect((await sluice([...args, '--quiet'], { stdin })).code).toBe(EXIT.done);
  });
});

describe('a batch', () => {
  it('is watched and listed, and its logs and results are downloaded', async () => {
    const { id } = await submit(GOOD);
    expect((await sluice(['watch', id])).code).toBe(EXIT.done);
    const listed = await sluice(['batches', '--state', 'completed', '--workload', 'billing']);
    expect(listed.out).toContain(`  ${id}  billing   normal  completed    100        0     0  20`);
    expect((await sluice(['batches', id.slice(-8), '--json'])).out).toContain(`"id":"${id}"`);
    const csv = await sluice(['batches', '--state', 'completed', '-o', 'csv']);
    expect(csv.out).toMatch(new RegExp(`^id,workload,.*\\r\\n(.*\\r\\n)*${id},billing,normal,completed,100,0,0,20`));
    const log = await sluice(['logs', id, '--logs', 'logs', '--json']);
    const events = JSON.parse(log.out).lines.map(({ event }: { event: string | null }) => event);
    expect(events).toEqual(expect.arrayContaining(['batch-accepted', 'batch-completed']));
    const results = await sluice(['results', id]);
    expect(results.out.trim().split('\n')).toHaveLength(100);
    expect((await sluice(['results', id, '--manifest'])).out).toContain('"container":"results"');
    await sluice(['results', id, '--format', 'csv', '--column', 'id', '--out', 'ids.csv']);
    expect((await readFile(join(stack.folder, 'ids.csv'), 'utf8')).split('\r\n').slice(0, 2)).toEqual(['id', 't0']);
  });

  it('has a report as table, CSV and JSON', async () => {
    const { id } = await submit(GOOD);
    const { items } = JSON.parse((await sluice(['report', id, '--json'])).out);
    expect(items).toEqual([{ key: 'acme|EUR', value: totalsOf(100) }]);
    expect((await sluice(['report', id])).out).toBe(
      '  key       lines  net      tax     gross\n  acme|EUR    100  1000.00  200.00  1200.00\n',
    );
    expect((await sluice(['report', id, '--format', 'csv'])).out).toBe(
      'key,lines,net,tax,gross\r\nacme|EUR,100,1000.00,200.00,1200.00\r\n',
    );
  });

  it('is repaired by redriving corrected dead letters', async () => {
    const { id } = await submit(BAD, '--again', '--wait');
    expect((await sluice(['dead-letters', id])).out).toContain('1 dead letter of');
    const letters = (await sluice(['dead-letters', id, '--format', 'ndjson'])).out;
    const corrected = letters.replace('"XXX"', '"EUR"');
    const args = ['redrive', id, '--corrected', '-', '--wait', '--idempotency-key', 'fixed'];
    const { code, out } = await sluice(args, { stdin: corrected });
    expect([code, out]).toEqual([EXIT.done, expect.stringContaining('20 succeeded, 0 dead letters')]);
    expect((await sluice(['dead-letters', id])).out).toBe('No dead letters.\n');
    expect((await sluice(['redrive', id])).code).toBe(EXIT.refused);
  });

  it('is cancelled and deleted', async () => {
    await sluice(['pause', 'billing-normal-0', '--reason', 'to be cancelled']);
    const { id } = await submit(GOOD, '--again');
    const late = await sluice(['watch', id, '--timeout', '1']);
    expect([late.code, late.err]).toEqual([EXIT.timeout, expect.stringContaining('it continues')]);
    expect((await sluice(['delete', id, '--yes'])).code).toBe(EXIT.refused);
    expect((await sluice(['cancel', id, '--wait'])).out).toContain('State: cancelled\n');
    expect((await sluice(['watch', id])).code).toBe(EXIT.cancelled);
    expect((await sluice(['delete', id, '--yes'])).out).toBe(`Deleted ${id}\n`);
    const gone = await sluice(['batches', id]);
    expect([gone.code, gone.err]).toEqual([EXIT.notFound, expect.stringContaining(`There is no batch "${id}"`)]);
    await sluice(['resume', 'billing-normal-0']);
  });
});

describe('the pipeline', () => {
  it('is paused and resumed per queue', async () => {
    expect((await sluice(['pause', 'billing-high-0', '--reason', 'a test'])).out).toMatch(
      /: paused by an operator since .*: a test, /,
    );
    const { id } = await submit(GOOD, '--again', '--lane', 'high');
    expect((await sluice(['queues', '--fresh'])).out).toMatch(
      /billing-high-0 +1 +\S+ +1 +\d+ +0 .* paused by an operator since/,
    );
    await sluice(['resume', 'billing-high-0']);
    expect((await sluice(['watch', id])).code).toBe(EXIT.done);
    expect((await sluice(['pause', 'no-such-0'])).code).toBe(EXIT.notFound);
  });

  it('measures the load of the instances and the response time of storage', async () => {
    const loadOf = async (queue: string): Promise<QueueView['load'] | undefined> => {
      const { queues } = (await (await stack.api('queues')).json()) as { queues: QueueView[] };
      return queues.find((each) => each.queue === queue)?.load;
    };
    await expect.poll(() => loadOf('billing-normal-0')).not.toBeNull();
    const { instances, cpu, eventLoop, responseMs, latencyMs } = (await loadOf('billing-normal-0')) as NonNullable<
      QueueView['load']
    >;
    expect([instances >= 1, instances <= stack.instances.length]).toEqual([true, true]);
    for (const share of [cpu, eventLoop]) expect([share >= 0, share <= 1]).toEqual([true, true]);
    expect([cpu + eventLoop > 0, responseMs > 0, latencyMs > 0]).toEqual([true, true, true]);
  });

  it('is cleared per queue, and shows the items as cancelled', async () => {
    await sluice(['pause', 'billing-bulk-0']);
    const { id } = await submit(GOOD, '--again', '--lane', 'bulk');
    const cleared = await sluice(['clear', 'billing-bulk-0', '--confirm', 'billing-bulk-0']);
    expect(cleared.out).toMatch(/^billing-bulk-0: 1 message deleted; batches cancelled: 1\n$/);
    expect((await sluice(['watch', id])).code).toBe(EXIT.cancelled);
    expect((await sluice(['items', id, '--limit', '1'])).out).toMatch(/\n +0 +\S* +cancelled/);
    await sluice(['resume', 'billing-bulk-0']);
  });

  it('has policies that can be read and changed', async () => {
    expect((await sluice(['policy', 'billing-bulk-0'])).out).toContain('the default policy');
    const changed = await sluice(['policy', 'billing-bulk-0', '--capacity', '3', '--json']);
    const { policy, version } = JSON.parse(changed.out);
    expect([policy.capacity, version]).toEqual([3, 1]);
    const stdin = JSON.stringify({ ...policy, capacity: 5 });
    const stale = await sluice(['policy', 'billing-bulk-0', '--put', '-', '--if-version', '0'], { stdin });
    expect([stale.code, stale.err]).toEqual([EXIT.refused, expect.stringContaining('412 precondition-failed')]);
    expect((await sluice(['policy', 'billing-bulk-0', '--put', '-'], { stdin })).out).toContain('5 tasks');
    const bounded = await sluice(['policy', 'billing-bulk-0', '--receive-size', '8']);
    expect(bounded.out).toMatch(/receive size +at most 8 messages/);
    // An earlier test has just resumed it.
    await expect.poll(async () => (await queueOf(stack, 'billing-bulk-0'))?.status).toBe('idle');
    expect((await sluice(['drain', 'billing-bulk-0'])).out).toContain('billing-bulk-0: idle, depth 0');
  });

  it('shows cost and health, and runs a sweep', async () => {
    expect((await sluice(['cost'])).out).toMatch(/total +[\d.]+\* USD/);
    expect((await sluice(['sweep'])).code).toBe(EXIT.done);
    const healthy = await sluice(['health', '--deep'], { env: { SLUICE_KEY: '' } });
    expect([healthy.code, healthy.out]).toEqual([EXIT.done, expect.stringContaining('table ok, queue ok, blob ok')]);
  });

  it('refuses a wrong key, and failing connections are reported', async () => {
    const refused = await sluice(['queues', '--key', 'none']);
    expect([refused.code, refused.err]).toEqual([EXIT.refused, expect.stringContaining('SLUICE_OPERATOR_KEY')]);
    const url = `http://127.0.0.1:${await freePort()}`;
    for (const args of [['batches'], ['submit', GOOD]]) {
      const unreachable = await sluice([...args, '--url', url]);
      expect([unreachable.code, unreachable.err]).toEqual([EXIT.failed, expect.stringContaining('npm start')]);
    }
  });
});
