/** `npm run bench`: Sluice compared with the designs that it replaces, in one run on one machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from './app/build.ts';
import { type BenchOptions, readArguments, USAGE } from './arguments.ts';
import { runDevLoop } from './dev-loop.ts';
import { runDoor } from './door.ts';
import { runIdle } from './idle.ts';
import { measureHttp } from './measures/http.ts';
import { measureLimits } from './measures/limits.ts';
import { measureMemory } from './measures/memory.ts';
import { type Peers, withPeers } from './measures/peers.ts';
import { measureSmall } from './measures/small.ts';
import { measureStarts } from './measures/start.ts';
import { measureThroughput, type Throughput } from './measures/throughput.ts';
import { measureWaiting } from './measures/waiting.ts';
import { measureWakes, pollWait } from './measures/wake.ts';
import { describeRun } from './report/describe-run.ts';
import type { Results } from './report/results.ts';
import { saveResults } from './report/save.ts';
import { formatResults } from './report/table.ts';
import { runScale } from './scale/run.ts';
import { writeUpload } from './stack/data.ts';
import { type BenchStack, type BenchStackOptions, onBenchStack } from './stack/stack.ts';

const SECOND_MS = 1_000;
/** Default maxPollingInterval of the queue trigger. */
const QUEUE_TRIGGER_MS = 60_000;
/** The warm-up of both sides: enough for the JavaScript compiler to finish its work. */
const WARM_UP_FRACTION = 0.2;

/**
 * With polling, a wake takes seconds until the system is idle again; a part of the wakes is enough to show the polling.
 */
const WAKES = [
  ['push', 1],
  ['azure', 0.25],
] as const;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Place {
  folder: string;
  appFolder: string;
}

/** Runs `work` on a separate stack. */
async function onStack<T>(
  { folder, appFolder }: Place,
  name: string,
  work: (stack: BenchStack) => Promise<T>,
  options: Pick<BenchStackOptions, 'delays' | 'settings'> = {},
): Promise<T> {
  print(`${name} …`);
  return onBenchStack({ folder: join(folder, name.replaceAll(' ', '-')), appFolder, ...options }, work);
}

async function writeFiles({ folder }: Place, { items }: BenchOptions): Promise<{ upload: string; warmUp: string }> {
  const files = { upload: join(folder, 'upload.zst'), warmUp: join(folder, 'warm-up.zst') };
  await writeUpload(files.upload, items);
  await writeUpload(files.warmUp, Math.ceil(items * WARM_UP_FRACTION));
  return files;
}

async function throughputOf(place: Place, options: BenchOptions): Promise<Pick<Results, 'throughput'>> {
  const files = await writeFiles(place, options);
  const measure = (peers?: Peers): Promise<Throughput> =>
    onStack(place, 'side by side', (stack) => measureThroughput(stack, files, options, peers));
  return { throughput: options.peers ? await withPeers(options, measure) : await measure() };
}

async function memoryOf(place: Place, options: BenchOptions): Promise<Pick<Results, 'memory'>> {
  print('memory …');
  return { memory: await measureMemory(place, options) };
}

async function startsOf({ folder }: Place, options: BenchOptions): Promise<Pick<Results, 'start'>> {
  print('start of the local stack …');
  return { start: await measureStarts(folder, options) };
}

async function wakesOf(place: Place, { wakes }: BenchOptions): Promise<Pick<Results, 'wake'>> {
  const measured = [];
  for (const [delays, fraction] of WAKES)
    measured.push(
      await onStack(place, `wake ${delays}`, (stack) => measureWakes(stack, Math.ceil(wakes * fraction), delays), {
        delays,
      }),
    );
  return { wake: { measured, secondPoller: pollWait(SECOND_MS), queueTriggerAtMost: pollWait(QUEUE_TRIGGER_MS) } };
}

async function waitingOf(place: Place, options: BenchOptions): Promise<Pick<Results, 'waiting' | 'http'>> {
  const waiting = await onStack(place, 'waiting', (stack) => measureWaiting(stack, place.folder, options));
  if (!options.http) return { waiting };
  print('http calls …');
  return { waiting, http: await measureHttp(join(place.folder, 'checkout'), options) };
}

async function limitsOf(place: Place, options: BenchOptions): Promise<Pick<Results, 'limits'>> {
  const files = await writeFiles(place, options);
  return {
    limits: await measureLimits((name, settings, work) => onStack(place, name, work, { settings }), files, options),
  };
}

async function run(options: BenchOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  try {
    const place = { folder, appFolder: await buildApp() };
    const results: Results = {
      ...describeRun(),
      ...(options.throughput ? await throughputOf(place, options) : {}),
      ...(options.memory ? await memoryOf(place, options) : {}),
      ...(options.small
        ? { small: await onStack(place, 'small batches', (stack) => measureSmall(stack, options)) }
        : {}),
      ...(options.start ? await startsOf(place, options) : {}),
      ...(options.wake ? await wakesOf(place, options) : {}),
      ...(options.waiting ? await waitingOf(place, options) : {}),
      ...(options.limits ? await limitsOf(place, options) : {}),
    };
    for (const line of ['', ...formatResults(results)]) print(line);
    if (options.save) await saveResults(results);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const options = readArguments(process.argv.slice(2));
if (options.help) print(USAGE);
else if (options.scale) await runScale(options);
else if (options.idle) await runIdle(options);
else if (options.dev) await runDevLoop();
else if (options.door) await runDoor();
else await run(options);
