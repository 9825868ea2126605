import { relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { appFolderOf } from '../../shared/app-folder.ts';
import { shellFile } from '../../shared/shell-word.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import type { Action } from '../session.ts';
import { sourceFlagsText } from '../try/flags-text.ts';
import type { TableFlags } from '../upload/csv-flags.ts';
import { createWorkload } from './create-workload.ts';
import { planFromSample } from './sample.ts';

export interface NewWorkloadOptions extends TableFlags {
  from?: string;
}

/** Creates the workload and its test in the app around the working folder. */
export const newWorkload: Action<[name: string, options: NewWorkloadOptions]> = async (session, name, options) => {
  const root = appFolderOf(session.io.folder);
  const sample = options.from ?? (await askForSample(session.io));
  const planned =
    sample === '' ? undefined : await planFromSample({ io: session.io, inform: session.inform }, sample, options);
  const made = await createWorkload(root, name, planned?.plan);
  const shown = (path: string): string => relative(root, path);
  const files = { workload: shown(made.workload), test: shown(made.test), index: shown(made.index) };
  const file = sample === '' ? 'FILE' : shellFile(sample);
  const flags = [`--workload ${name}`, ...sourceFlagsText(planned?.options ?? options)].join(' ');
  session.answer(files, () => [
    `Created ${files.workload}`,
    `Created ${files.test}`,
    `Added the workload to ${files.index}`,
    '',
    `Next: npm run sluice -- try ${file} ${flags} --run`,
    `Then: npx vitest run ${files.test}`,
    `Then: npm start -- ${file} ${flags}`,
    'docs/workloads.md explains each step.',
  ]);
  return EXIT.done;
};

async function askForSample({ stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>): Promise<string> {
  if (!stdin.isTTY) return '';
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    return (
      await terminal.question('File with a sample of the items, to derive the schema from (Enter: none): ')
    ).trim();
  } finally {
    terminal.close();
  }
}
