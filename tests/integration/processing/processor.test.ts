import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processClockMs } from '../../../shared/limits/process-clock.ts';
import { errorLine } from '../../../shared/processing/outcome/error-text.ts';
import { NotBegunError, ProcessorClosedError, ThreadStartError } from '../../../shared/processing/threads/errors.ts';
import {
  createProcessor,
  type Processor,
  type ProcessorOptions,
} from '../../../shared/processing/threads/processor.ts';
import { BATCH, chunkJob, NOW_MS, readAll, retriesJob } from '../../helpers/data/chunks.ts';

const threadUrl = new URL('../../helpers/threads/thread-workloads.ts', import.meta.url);
const acts = (list: string[]) => chunkJob(list.map((act, id) => ({ id, act })));
const lines: Parameters<ProcessorOptions['log']>[] = [];
let processor: Processor;
/** Folder of the thread files that a test writes. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-threads-'));
  processor = createProcessor({ threadUrl, threads: 2, log: (...line) => lines.push(line) });
});
afterAll(async () => {
  await processor.close();
  await rm(folder, { recursive: true });
});

describe('a chunk in a thread', () => {
  it('is returned as the bytes of its outcome', async () => {
    const outcome = await processor.process(acts(['ok', 'reject', 'retry', 'nothing', 'async']));
    const { results, retries, dead, partial } = await readAll(outcome);
    expect(results).toEqual([{ id: 0, attempt: 1 }, null, { act: 'async' }]);
    expect(retries.map(({ index }) => index)).toEqual([102]);
    expect(dead.map(({ index, reason }) => [index, reason])).toEqual([[101, 'rejected']]);
    expect(partial).toEqual([{ key: 'all', value: { n: 3 } }]);
    expect(outcome).toMatchObject({ failures: 1, ran: 5, causes: { 'rejected: Reject: order # is closed': 1 } });
    expect(outcome.header.handlerSeconds).toBeGreaterThan(0);
    expect(zstdDecompressSync(outcome.body.subarray(0, outcome.header.results?.length)).toString()).toBe(
      '{"id":0,"attempt":1}\nnull\n{"act":"async"}\n',
    );
  });

  it('does not take the frame from its caller', async () => {
    const job = acts(['ok']);
    await processor.process(job);
    const again = await processor.process(job);
    expect(again.header.counts.succeeded).toBe(1);
  });

  it('is tried until its attempts are used up', async () => {
    const first = await readAll(await processor.process(acts(['throw'])));
    const second = await readAll(await processor.process(retriesJob(first.retries, NOW_MS + 60_000)));
    const third = await readAll(await processor.process(retriesJob(second.retries, NOW_MS + 120_000)));
    expect(third.dead[0]).toMatchObject({ index: 100, reason: 'exhausted' });
    expect(third.dead[0]?.attempts.map(({ error }) => errorLine(error))).toEqual([
      'Error: boom',
      'Error: boom',
      'Error: boom',
    ]);
  });

  it('reports the line of the workload where an item failed', async () => {
    const { dead } = await readAll(await processor.process(acts(['reject'])));
    const frame = dead[0]?.error.stack?.[0] ?? '';
    const [, line = 0] = /^[\w.]+ \(tests\/helpers\/threads\/thread-workloads\.ts:(\d+):\d+\)$/.exec(frame) ?? [];
    const source = await readFile(new URL(threadUrl), 'utf8');
    expect(source.split('\n')[Number(line) - 1]).toContain("throw new Reject('order 17 is closed')");
  });

  it('with a broken frame ends as digest', async () => {
    const job = acts(['ok', 'ok']);
    const frame = Uint8Array.from(job.frame, (byte, i) => (i === 12 ? byte ^ 1 : byte));
    const { header } = await processor.process({ ...job, frame });
    expect(header).toMatchObject({ ending: 'digest', counts: { dead: 2 } });
  });

  it('waits while all threads are busy, and gets its own answer', async () => {
    const jobs = Array.from({ length: 12 }, (_, i) => chunkJob([{ id: i }], { firstItem: i, chunk: `00000${i}` }));
    const outcomes = Promise.all(jobs.map((job) => processor.process(job)));
    expect([processor.threads, processor.idleThreads, processor.queued]).toEqual([2, 0, 10]);
    const results = await Promise.all((await outcomes).map(async (outcome) => (await readAll(outcome)).results));
    expect(results).toEqual(jobs.map((_, i) => [{ id: i, attempt: 1 }]));
    expect([processor.idleThreads, processor.queued]).toEqual([2, 0]);
  });

  it('begins no item after its time, and passes the rest on uncharged', async () => {
    const hasty = createProcessor({ threadUrl, threads: 1, maxChunkSeconds: 0.1, log: () => {} });
    const outcome = await hasty.process(acts(['slow', 'slow', 'slow', 'slow', 'slow', 'slow']));
    await hasty.close();
    const { retries } = await readAll(outcome);
    expect(outcome.header.counts.succeeded).toBeGreaterThan(0);
    expect(retries.length).toBeGreaterThan(2);
    expect(retries.every(({ attempts }) => attempts.length === 0)).toBe(true);
  });
});

describe('log lines of a handler', () => {
  it('are logged with batch, chunk and position, at most 100 per chunk', async () => {
    lines.length = 0;
    await processor.process(acts(Array.from({ length: 120 }, () => 'log')));
    await expect.poll(() => lines.length).toBe(101);
    expect(lines).toContainEqual(['hello', { batch: BATCH, chunk: '000002', position: 100 }]);
    expect(lines).toContainEqual(['20 more log lines of this chunk were dropped.', { batch: BATCH, chunk: '000002' }]);
  });
});

describe('a processor', () => {
  it('that is closed rejects running, waiting and new chunks', async () => {
    const closing = createProcessor({ threadUrl, threads: 1, log: () => {} });
    const jobs = [closing.process(acts(['hangSync'])), closing.process(acts(['ok']))];
    const ends = Promise.allSettled(jobs);
    await expect.poll(() => closing.queued).toBe(1);
    await closing.close();
    for (const end of await ends) expect(end).toMatchObject({ reason: expect.any(ProcessorClosedError) });
    await expect(closing.process(acts(['ok']))).rejects.toThrow(ProcessorClosedError);
  });

  it('rejects a chunk that still waits for a thread when its process is being stopped', async () => {
    const single = createProcessor({ threadUrl, threads: 1, log: () => {} });
    const stop = new AbortController();
    const [running, waiting] = ['wait', 'ok'].map((act) => single.process({ ...acts([act]), stop: stop.signal }));
    const refused = expect(waiting).rejects.toThrow(NotBegunError);
    stop.abort('returned');
    expect((await running)?.header.counts).toMatchObject({ items: 1 });
    await refused;
    await single.close();
  });

  it('rejects a chunk that has waited for a thread until the end of its slice, and never begins it', async () => {
    const single = createProcessor({ threadUrl, threads: 1, log: () => {} });
    const stop = new AbortController();
    const running = single.process({ ...acts(['wait']), stop: stop.signal });
    await expect(single.process({ ...acts(['ok']), waitMs: 1 })).rejects.toThrow(NotBegunError);
    expect(single.queued).toBe(0);
    stop.abort('cancelled');
    await running;
    await single.close();
  });

  it('rejects a chunk whose items can no longer begin when a thread has loaded', async () => {
    const single = createProcessor({ threadUrl, threads: 1, log: () => {} });
    await expect(single.process({ ...acts(['ok']), beginUntilMs: processClockMs() })).rejects.toThrow(NotBegunError);
    const { header } = await single.process({ ...acts(['ok']), beginUntilMs: processClockMs() + 600_000 });
    expect(header.counts.succeeded).toBe(1);
    await single.close();
  });

  it('has no thread before it is started or gets a chunk', async () => {
    let own = 0;
    // The threads of the processor that other tests share have another limit.
    const count = ({ resourceLimits }: Worker): void => {
      if (resourceLimits?.maxOldGenerationSizeMb === 99) own += 1;
    };
    process.on('worker', count);
    const unused = createProcessor({ threadUrl, threads: 1, maxThreadMemoryMb: 99, log: () => {} });
    await setImmediate();
    expect(own).toBe(0);
    unused.start();
    await expect.poll(() => own).toBe(1);
    await unused.close();
    process.off('worker', count);
  });

  it('that is started loads its threads before the first chunk', async () => {
    const broken = new URL('../../helpers/threads/broken-thread.ts', import.meta.url);
    const logged: string[] = [];
    const started = createProcessor({ threadUrl: broken, threads: 1, log: (line) => logged.push(line) });
    started.start();
    await expect.poll(() => logged).toEqual(['An idle thread ended: a setting is missing']);
    await expect(started.process(acts(['ok']))).rejects.toThrow(ThreadStartError);
    await started.close();
  });

  it('whose threads cannot load rejects, and charges no item', async () => {
    const broken = new URL('../../helpers/threads/broken-thread.ts', import.meta.url);
    const unable = createProcessor({ threadUrl: broken, threads: 1, log: () => {} });
    await expect(unable.process(acts(['ok']))).rejects.toThrow(
      new ThreadStartError('No thread could begin: a setting is missing'),
    );
    await unable.close();
  });

  it.each([
    ['exit while they load', 'process.exit(3);', 1, 'exited'],
    ['hang while they load', 'await new Promise(() => setInterval(() => {}, 1_000));', 1_000, 'within 20 s'],
    ['export no function', 'export const thread = 1;', 1, 'function'],
  ])('whose threads %s rejects', async (_what, source, clockRate, text) => {
    const file = join(folder, `${text.replaceAll(' ', '-')}.mjs`);
    await writeFile(file, source);
    const now = (): number => performance.now() * clockRate;
    const unable = createProcessor({ threadUrl: pathToFileURL(file), threads: 2, log: () => {}, now });

    const jobs = [unable.process(acts(['ok'])), unable.process(acts(['ok']))];

    for (const end of await Promise.allSettled(jobs)) {
      expect(end).toMatchObject({ reason: { name: 'ThreadStartError', message: expect.stringContaining(text) } });
    }
    await unable.close();
  });

  it('rejects a chunk of a workload that its threads do not know', async () => {
    const unknown = chunkJob([1], { workload: 'other' });
    await expect(processor.process(unknown)).rejects.toThrow('No workload is named "other".');
  });
});
