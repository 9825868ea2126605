/** Runs the whole pipeline on this machine and processes a file of transactions. */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalStack, startStack } from 'functions-local';
import { EXIT, type ExitCode } from '../cli/process/exit-codes.ts';
import { formatCount, formatTable } from '../cli/text/format.ts';
import { kindOfName } from '../shared/contract/upload-kinds.ts';
import { type DemoOptions, explainStart, portOf } from './arguments.ts';
import { showBatch } from './batch/show-batch.ts';
import type { Submission } from './batch/submission.ts';
import { verdictOf } from './batch/verdict.ts';
import type { DataFolder } from './data-folder.ts';
import { INTERRUPTED } from './interruption.ts';
import { describeAccess, describeNextSteps } from './next-steps.ts';
import { sluiceStack } from './stack.ts';
import { writeUsage } from './usage/generate.ts';
import { differences, expectFrom } from './verify/verify.ts';

const print = (...lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);

async function inputOf(stack: LocalStack, options: DemoOptions, folder: DataFolder): Promise<Submission> {
  const { workload, file, csv, again } = options;
  if (file === undefined && workload === 'media') return drawnImages(stack, options, folder);
  const input = file ?? (await generatedUsage(options, folder));
  await access(input);
  // Generated items are the same at each start, and are processed at each start.
  const isOnce = file !== undefined && !again;
  if (workload !== 'billing' || Object.keys(csv).length > 0 || !isReadByCheck(input))
    return { file: input, workload, csv, isOnce };
  return { file: input, workload, isOnce, compare: async (answered) => differences(await expectFrom(input), answered) };
}

/** The check reads NDJSON, JSON and comma-separated CSV. */
const isReadByCheck = (file: string): boolean => {
  const kind = kindOfName(file);
  return kind !== undefined && kind.delimiter === undefined;
};

async function drawnImages(stack: LocalStack, { items, seed }: DemoOptions, folder: DataFolder): Promise<Submission> {
  // Loaded only here: billing needs no image library.
  const { writeImages } = await import('./usage/media.ts');
  const file = join(folder.path, `images-${items}-${seed}.ndjson`);
  const compare = await writeImages(file, { items, seed, storage: stack.storage });
  print(`Drew ${formatCount(items)} images (seed ${seed}) into the container images, listed in ${file}`);
  return { file, workload: 'media', compare };
}

async function generatedUsage({ items, seed }: DemoOptions, folder: DataFolder): Promise<string> {
  const generated = join(folder.path, `usage-${items}-${seed}.ndjson`);
  await writeUsage(generated, { items, seed });
  print(`Generated ${formatCount(items)} transactions (seed ${seed}): ${generated}`);
  return generated;
}

/** Processes the file and returns the exit code: 0 if the result matches the file. */
async function demonstrate(stack: LocalStack, options: DemoOptions, folder: DataFolder): Promise<ExitCode> {
  print('', ...formatTable(stack.addresses), '', ...describeAccess(stack, options.subscriptions), '');
  const submission = await inputOf(stack, options, folder);
  const shown = await showBatch(stack, submission, process.stdout);
  const { lines, code } = verdictOf(shown, submission);
  print('', ...lines);
  if (code === EXIT.done && !options.once)
    print('', ...describeNextSteps(stack, shown.batch, submission), '', 'Running. Press Ctrl-C to stop.');
  return code;
}

/** Runs until the demo fails, ends with `--once`, or is interrupted. Returns the exit code. */
async function runOn(
  stack: LocalStack,
  options: DemoOptions,
  folder: DataFolder,
  interrupted: Promise<unknown>,
): Promise<number> {
  const died = stack.failed.then((message) => {
    throw new Error(`A part of the stack has stopped: ${message}`);
  });
  const shown = demonstrate(stack, options, folder).catch(async (error: unknown) => {
    // A request may fail because a part of the stack stopped, which is noticed shortly after. Then the stop is reported
    // instead.
    await Promise.race([died, sleep(500)]);
    throw error;
  });
  const code = await Promise.race([shown, died, interrupted.then(() => undefined)]);
  if (code === undefined) return INTERRUPTED;
  if (code !== EXIT.done || options.once) return code;
  await Promise.race([died, interrupted]);
  return 0;
}

/** Starts the stack and the demo. Returns the exit code. */
export async function start(options: DemoOptions, folder: DataFolder, interrupted: Promise<unknown>): Promise<number> {
  const stack = await startStack({
    ...sluiceStack(folder.stack, {}, options.instances, options.subscriptions),
    ...portOf(options),
    onProgress: print,
  }).catch((error: unknown) => {
    throw explainStart(error);
  });
  try {
    return await runOn(stack, options, folder, interrupted);
  } finally {
    print('Stopping');
    await stack.stop();
  }
}
