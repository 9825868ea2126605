/** What `npm start` processes: a file of the user, or items that it generates and whose results it checks. */
import { join } from 'node:path';
import type { LocalStack } from 'functions-local';
import { formatCount } from '../cli/text/format.ts';
import type { StartOptions } from '../local/arguments.ts';
import type { Submission } from '../local/batch/submission.ts';
import type { DataFolder } from '../local/data-folder.ts';
import { runStart } from '../local/run-start.ts';
import { kindOfName } from '../shared/contract/upload-kinds.ts';
import { sluiceStack } from './stack.ts';
import { writeUsage } from './usage/generate.ts';
import { differences, expectFrom } from './verify/verify.ts';

/** Starts the stack, and processes the file or the generated items. Returns the exit code. */
export const start = (options: StartOptions, folder: DataFolder, interrupted: Promise<unknown>): Promise<number> =>
  runStart({
    ...{ options, interrupted },
    stack: sluiceStack(folder.stack, {}, options.instances, options.subscriptions),
    submission: (stack) => inputOf(stack, options, folder),
  });

async function inputOf(stack: LocalStack, options: StartOptions, folder: DataFolder): Promise<Submission> {
  const { workload = 'billing', file, csv, again } = options;
  if (file === undefined && workload === 'media') return drawnImages(stack, options, folder);
  const input = file ?? (await generatedUsage(options, folder));
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

async function drawnImages(stack: LocalStack, { items, seed }: StartOptions, folder: DataFolder): Promise<Submission> {
  // Loaded only here: billing needs no image library.
  const { writeImages } = await import('./usage/media.ts');
  const file = join(folder.path, `images-${items}-${seed}.ndjson`);
  const compare = await writeImages(file, { items, seed, storage: stack.storage });
  console.log(`Drew ${formatCount(items)} images (seed ${seed}) into the container images, listed in ${file}`);
  return { file, workload: 'media', compare };
}

/** Writes a file of transactions and returns its path. */
export async function generatedUsage({ items, seed }: StartOptions, folder: DataFolder): Promise<string> {
  const generated = join(folder.path, `usage-${items}-${seed}.ndjson`);
  await writeUsage(generated, { items, seed });
  console.log(`Generated ${formatCount(items)} transactions (seed ${seed}): ${generated}`);
  return generated;
}
