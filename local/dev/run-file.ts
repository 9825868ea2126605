import { relative } from 'node:path';
import type { ReloadableStack } from 'functions-local';
import { formatSeconds } from '../../cli/text/format.ts';
import type { StartOptions } from '../arguments.ts';
import { showBatch } from '../batch/show-batch.ts';
import { verdictOf } from '../batch/verdict.ts';
import { print } from './print.ts';

/** Returns a function that processes the file with the current app. The function never rejects. */
export function createRun(
  stack: ReloadableStack,
  file: string,
  { workload, csv }: Pick<StartOptions, 'csv'> & { workload: string },
): () => Promise<void> {
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    if (stack.instances.length === 0) return print('The app is not running: fix the error first.');
    const startedAt = performance.now();
    try {
      print('', `Runs ${relative(process.cwd(), file)} through ${workload}`);
      const submission = { file, workload, csv };
      const shown = await showBatch(stack, submission, process.stdout);
      print(...verdictOf(shown, submission).lines, `Done in ${formatSeconds(performance.now() - startedAt)}`);
    } catch (error: unknown) {
      print(error instanceof Error ? error.message : String(error));
    }
  };
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
