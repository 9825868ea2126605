import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Io } from '../../cli/process/io.ts';
import type { BatchView } from '../../shared/http/batches/schemas.ts';
import { type CommandAnswer, createCommand } from './command.ts';
import { readSmokeOptions, type SmokeOptions, USAGE } from './options.ts';

const PASSED = 0;
const FAILED = 1;
const USAGE_ERROR = 2;

/** Enough items for several chunks of the example workload, and some seconds of work. */
const ITEMS = 500;
/** The content is the same for each run; the idempotency key differs. */
const SEED = 18;
const RETRY_EVERY_MS = 5_000;

/** The instructions after a failure; docs/deploy.md describes two ways. */
const ROLLBACK = [
  'To roll back, publish the package of the previous version (docs/deploy.md, "Rollback"):',
  '  npx sluice azure publish out/outputs.json <sluice.zip of the previous version>',
];

/** A failed step; the message contains the expectation. */
class SmokeFailure extends Error {
  override name = 'SmokeFailure';
  readonly exitCode: number;
  constructor(message: string, exitCode = FAILED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs the smoke test: submits a small batch with an idempotency key, waits until it is finished, compares the counts and reads
 * the report. The command `sluice` makes all requests. Prints one line per step to standard output, and a failure with rollback
 * instructions to standard error. Returns the exit code: 0 passed, 1 failed, 2 wrong command line.
 */
export async function runSmoke(args: readonly string[], io: Io): Promise<number> {
  const options = readSmokeOptions(args, io.env);
  if (typeof options === 'string') {
    (options === USAGE ? io.stdout : io.stderr).write(`${options}\n`);
    return options === USAGE ? PASSED : USAGE_ERROR;
  }
  const folder = await mkdtemp(join(tmpdir(), 'sluice-smoke-'));
  try {
    await smoke(options, folder, io);
    return PASSED;
  } catch (error: unknown) {
    if (!(error instanceof SmokeFailure)) throw error;
    // No rollback for a wrong command line, which says nothing about the deployment.
    const lines = [`smoke test failed: ${error.message}`, ...(error.exitCode === FAILED ? ROLLBACK : [])];
    io.stderr.write(`${lines.join('\n')}\n`);
    return error.exitCode;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function smoke(options: SmokeOptions, folder: string, io: Io): Promise<void> {
  const startedAt = io.now();
  const say = (line: string): void => void io.stdout.write(`${line}\n`);
  const sluice = createCommand(io, options);

  const id = await submit(options, { folder, io, sluice, say });

  const batch = await watch(sluice, id, options.timeoutSeconds);
  say(`finished: ${batch.state}`);

  const { accepted, succeeded, dead } = batch.counts;
  expectThat(
    accepted > 0 && accepted === succeeded + dead,
    `counts: expected ${accepted} finished items, got ${succeeded} succeeded and ${dead} dead letters`,
  );
  expectThat(succeeded > 0, `counts: expected succeeded items, got only ${dead} dead letters`);
  say(`counts: ${accepted} accepted = ${succeeded} succeeded + ${dead} dead letters`);

  say(await report(sluice, batch, folder));
  say(`smoke test passed in ${Math.ceil((io.now() - startedAt) / 1000)} s`);
}

type Command = ReturnType<typeof createCommand>;

/**
 * Repeats the upload until it is accepted or the start timeout has passed. All attempts have the same key, so there is one
 * batch.
 */
async function submit(
  { workload, file, lane, startTimeoutSeconds }: SmokeOptions,
  { folder, io, sluice, say }: { folder: string; io: Io; sluice: Command; say(line: string): void },
): Promise<string> {
  const path = file === undefined ? await writeBatch(folder) : resolve(io.folder, file);
  const key = `smoke-${io.randomId()}`;
  const startedAt = io.now();
  for (;;) {
    const inLane = lane === undefined ? [] : ['--lane', lane];
    const answer = await sluice('submit', path, '--workload', workload, ...inLane, '--idempotency-key', key, '--json');
    if (answer.code === 0) {
      const { id, counts } = JSON.parse(answer.out) as BatchView;
      say(`submitted: batch ${id}, ${counts.accepted} items for ${workload}`);
      return id;
    }
    const waitedSeconds = Math.floor((io.now() - startedAt) / 1000);
    const failure = `submit: ${reasonOf(answer)}`;
    if (answer.code === USAGE_ERROR) throw new SmokeFailure(failure, USAGE_ERROR);
    expectThat(waitedSeconds < startTimeoutSeconds, failure);
    say(`waiting for the app: ${waitedSeconds} s so far, at most ${startTimeoutSeconds} s (${reasonOf(answer)})`);
    await io.sleep(RETRY_EVERY_MS);
  }
}

async function writeBatch(folder: string): Promise<string> {
  // Only the checkout has the generator.
  const generator = await import('../../demo/usage/generate.ts').catch(() => undefined);
  if (generator === undefined)
    throw new SmokeFailure('--file: expected a file with items of the workload', USAGE_ERROR);
  const file = join(folder, 'smoke.ndjson');
  await writeFile(file, [...generator.usageBlocks({ items: ITEMS, seed: SEED })].join(''));
  return file;
}

/** Waits until the batch is finished. Ignores the exit code for dead letters, because the counts are checked later. */
async function watch(sluice: Command, id: string, timeoutSeconds: number): Promise<BatchView> {
  const answer = await sluice('watch', id, '--timeout', String(timeoutSeconds), '--json');
  expectThat(answer.out !== '', `watch: ${reasonOf(answer)}`);
  const batch = JSON.parse(answer.out) as BatchView;
  const isGood = batch.state === 'completed' || batch.state === 'completedWithDeadLetters';
  expectThat(isGood, `watch: expected batch ${id} to complete, got state ${batch.state}`);
  return batch;
}

/** Downloads the report, if the workload creates one. Returns the line about it. */
async function report(sluice: Command, { id, reportRevision }: BatchView, folder: string): Promise<string> {
  if (reportRevision === null) return 'report: none; the workload does not create one';
  const file = join(folder, 'report.ndjson');
  const answer = await sluice('report', id, '--format', 'ndjson', '--out', file);
  expectThat(answer.code === 0, `report: ${reasonOf(answer)}`);
  const rows = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '').length;
  expectThat(rows > 0, `report: expected rows, got an empty report of batch ${id}`);
  return `report: revision ${reportRevision}, ${rows} rows`;
}

function expectThat(holds: boolean, failure: string): asserts holds {
  if (!holds) throw new SmokeFailure(failure);
}

const reasonOf = ({ code, fault }: CommandAnswer): string => fault ?? `sluice failed with exit code ${code}`;
