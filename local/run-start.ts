/** Runs the whole pipeline on this machine and processes a file. */

import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalStack, type StackOptions, startStack } from 'functions-local';
import { EXIT, type ExitCode } from '../cli/process/exit-codes.ts';
import { formatTable } from '../cli/text/format.ts';
import { explainStart, portOf, type StartOptions } from './arguments.ts';
import { showBatch } from './batch/show-batch.ts';
import type { Submission } from './batch/submission.ts';
import { verdictOf } from './batch/verdict.ts';
import { INTERRUPTED } from './interruption.ts';
import { describeAccess, describeNextSteps } from './next-steps.ts';

/** What is started. */
export interface Start {
  stack: StackOptions;
  options: StartOptions;
  interrupted: Promise<unknown>;
  /** Returns what is submitted; undefined for nothing. */
  submission: (stack: LocalStack) => Promise<Submission | undefined>;
}

const print = (...lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);
const RUNNING = 'Running. Press Ctrl-C to stop.';

/** Processes the file and returns the exit code: 0 if the result matches the file. */
async function processFile(stack: LocalStack, { options, submission: open }: Start): Promise<ExitCode> {
  print('', ...formatTable(stack.addresses), '', ...describeAccess(stack, options.subscriptions), '');
  const submission = await open(stack);
  if (submission === undefined) {
    print(RUNNING);
    return EXIT.done;
  }
  await access(submission.file);
  const shown = await showBatch(stack, submission, process.stdout);
  const { lines, code } = verdictOf(shown, submission);
  print('', ...lines);
  if (code === EXIT.done && !options.once) print('', ...describeNextSteps(stack, shown.batch, submission), '', RUNNING);
  return code;
}

/** Runs until the batch fails, ends with `--once`, or is interrupted. Returns the exit code. */
async function runOn(stack: LocalStack, start: Start): Promise<number> {
  const { options, interrupted } = start;
  const died = stack.failed.then((message) => {
    throw new Error(`A part of the stack has stopped: ${message}`);
  });
  const shown = processFile(stack, start).catch(async (error: unknown) => {
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

/** Starts the stack and processes the file. Returns the exit code: 0 if the result is as expected. */
export async function runStart(start: Start): Promise<number> {
  const { stack: stackOptions, options } = start;
  const stack = await startStack({ ...stackOptions, ...portOf(options), onProgress: print }).catch((error: unknown) => {
    throw explainStart(error);
  });
  try {
    return await runOn(stack, start);
  } finally {
    print('Stopping');
    await stack.stop();
  }
}
