import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { freePort } from 'functions-local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processIo } from '../../../cli/process/io.ts';
import { runSmoke } from '../../../infra/smoke/run-smoke.ts';
import { ndjson, transactions } from '../../helpers/data/transactions.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ROLLBACK = 'To roll back, publish the package of the previous version';
let stack: TestStack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the smoke test in this process, with the key in its environment. Calls `onLine` for each printed line. */
async function smoke(
  args: readonly string[],
  { key = stack.keys.function, onLine = (_line: string) => {} } = {},
): Promise<Ended> {
  const written = { out: '', err: '' };
  const stdout = new Writable({
    write: (piece, _encoding, done) => {
      written.out += String(piece);
      onLine(String(piece));
      done();
    },
  });
  const stderr = {
    write: (piece: string | Uint8Array) => {
      written.err += String(piece);
      return true;
    },
  };
  const io = { ...processIo(), env: { SLUICE_KEY: key }, folder: stack.folder, stdout, stderr };
  return { code: await runSmoke(args, io), ...written };
}

const file = async (name: string, content: string): Promise<string> => {
  await writeFile(join(stack.folder, name), content);
  return name;
};

describe('the smoke test', () => {
  it('submits a batch, waits for its report and prints a line per step, as a process with the key in its environment', async () => {
    const args = ['--conditions=source', 'infra/smoke.ts', '--url', stack.url];
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, SLUICE_KEY: stack.keys.function };
    const child = spawn(process.execPath, args, { cwd: ROOT, env });
    const ended = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);

    expect([code, err]).toEqual([0, '']);
    const lines = out.trim().split('\n');
    expect(lines).toHaveLength(5);
    const [submitted = '', finished, counts = '', report = '', passed] = lines;
    const id = /^submitted: batch (\S+), 500 items for billing$/.exec(submitted)?.[1];
    expect(finished).toMatch(/^finished: completed/);
    const [, accepted, succeeded, dead] =
      /^counts: (\d+) accepted = (\d+) succeeded \+ (\d+) dead letters$/.exec(counts) ?? [];
    expect(Number(accepted)).toBe(500);
    expect(report).toMatch(/^report: revision \d+, [1-9]\d* rows$/);
    expect(passed).toMatch(/^smoke test passed in \d+ s$/);
    const batch = await (await stack.api(`batches/${id}`)).json();
    expect(batch).toMatchObject({
      ...{ lane: 'high', counts: { accepted: 500, succeeded: Number(succeeded), dead: Number(dead) } },
    });
  });

  it('creates a new batch in each run', async () => {
    const ids = [await smoke(['--url', stack.url]), await smoke(['--url', `${stack.url}/api/`])].map(
      ({ out }) => /batch (\S+),/.exec(out)?.[1],
    );
    expect(ids[0]).toBeDefined();
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('accepts a file, and counts its dead letters', async () => {
    const bad = transactions(20).map((item, n) => (n === 7 ? { ...item, currency: 'XXX' } : item));
    const name = await file('one-bad.ndjson', ndjson(bad));
    const { code, out } = await smoke(['--url', stack.url, '--workload', 'billing', '--file', name]);
    expect([code, out]).toEqual([0, expect.stringContaining('counts: 20 accepted = 19 succeeded + 1 dead letters')]);
  });

  it('waits for an app that does not answer yet', async () => {
    await stack.stopHosts();
    const restarted: Promise<void>[] = [];
    const { code, out } = await smoke(['--url', stack.url, '--start-timeout', '600'], {
      onLine: (line) =>
        void (line.startsWith('waiting') && restarted.length === 0 && restarted.push(stack.restartHosts())),
    });
    await Promise.all(restarted);
    expect([code, out]).toEqual([0, expect.stringMatching(/^waiting for the app: 0 s so far, at most 600 s \(/)]);
    expect(out).toContain('smoke test passed');
  });
});

describe('the smoke test fails with rollback instructions', () => {
  const failure = async (args: readonly string[], options = {}): Promise<string> => {
    const { code, err } = await smoke(args, options);
    expect(code).toBe(1);
    expect(err).toContain(ROLLBACK);
    return err;
  };

  it('if the key is wrong', async () => {
    expect(await failure(['--url', stack.url], { key: 'wrong' })).toMatch(/^smoke test failed: submit: .*401/);
  });

  it('if the app does not answer', async () => {
    const err = await failure(['--url', `http://127.0.0.1:${await freePort()}`]);
    expect(err).toMatch(/^smoke test failed: submit: Nothing answers at 127\.0\.0\.1/);
  });

  it('if the workload does not exist', async () => {
    const name = await file('any.ndjson', ndjson(transactions(3)));
    const err = await failure(['--url', stack.url, '--workload', 'nothing', '--file', name]);
    expect(err).toMatch(/^smoke test failed: submit: .*\n.*no workload "nothing"/);
  });

  it('if no item succeeds', async () => {
    const bad = transactions(20).map((item) => ({ ...item, currency: 'XXX' }));
    const name = await file('all-bad.ndjson', ndjson(bad));
    expect(await failure(['--url', stack.url, '--file', name])).toMatch(
      /^smoke test failed: (watch|counts): expected /,
    );
  });

  it('if the batch is not finished in time', async () => {
    const queues = (await (await stack.api('queues')).json()) as { queues: { queue: string }[] };
    const pause = (action: 'pause' | 'resume') =>
      Promise.all(
        queues.queues
          .filter(({ queue }) => queue.includes('billing'))
          .map(({ queue }) => stack.api(`queues/${queue}/${action}`, { method: 'POST' })),
      );
    const answers = await pause('pause');
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.every(({ ok }) => ok)).toBe(true);
    try {
      const err = await failure(['--url', stack.url, '--timeout', '1']);
      expect(err).toMatch(/^smoke test failed: watch: The batch is not finished after \d+ s/);
    } finally {
      await pause('resume');
    }
  });
});

describe('a wrong command line', () => {
  it.each([
    [[], '--url: expected the address of the app'],
    [['--url', 'x'], '--url: expected an address such as'],
    [['--url', 'http://127.0.0.1:1', '--workload', 'media'], '--workload media: expected --file'],
    [['--url', 'http://127.0.0.1:1', '--file', 'none.ndjson'], 'cannot read'],
    [['--url', 'http://127.0.0.1:1', '--timeout', 'soon'], 'expected a whole number of seconds'],
    [['--unknown'], "Unknown option '--unknown'"],
  ])('%j exits with 2 and without rollback instructions', async (args, message) => {
    const { code, err } = await smoke(args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(err).not.toContain(ROLLBACK);
  });
});
