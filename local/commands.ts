/** `sluice start` and `sluice dev`: run the app around the working folder. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppCommandName, devOptions, startOptions } from '../cli/app-commands.ts';
import { loadWorkloads } from '../cli/try/load-workloads.ts';
import { appFolderOf } from '../shared/app-folder.ts';
import type { Registry } from '../shared/workload/registry.ts';
import { writeFiles } from './app-files.ts';
import { readArguments, readDevArguments, type StartOptions } from './arguments.ts';
import { runCommand } from './command.ts';
import { readSources } from './dev/app-sources.ts';
import { develop } from './dev/develop.ts';
import { runStart } from './run-start.ts';
import { hostOf, stackOptions } from './stack-options.ts';

/** By name. Each runs with the arguments after its name, in the app around a folder, and ends the process. */
export const APP_COMMANDS: Readonly<Record<AppCommandName, (args: string[], from: string) => void>> = {
  start: (args, from) =>
    runCommand(
      {
        root: () => appFolderOf(from),
        usage: `Usage: sluice start [FILE] [options]\n${startOptions()}`,
        read: readArguments,
        run: async (options, folder, interrupted) => {
          const root = appFolderOf(from);
          const registry = await loadWorkloads(root);
          writeFiles(folder.app, readSources(root));
          const { subscriptions, instances } = options;
          return runStart({
            ...{ options, interrupted },
            stack: {
              ...stackOptions(folder.stack, { ...registry, subscriptions, host: hostOf(root) }, {}, instances),
              appFolder: folder.app,
            },
            submission: async () => {
              const input = await inputOf(options, registry, root);
              return input && { ...input, csv: options.csv, isOnce: options.file !== undefined && !options.again };
            },
          });
        },
      },
      args,
    ),
  dev: (args, from) =>
    runCommand(
      {
        root: () => appFolderOf(from),
        usage: `Usage: sluice dev [FILE] [options]\n${devOptions()}`,
        read: readDevArguments,
        run: async (options, folder, interrupted) => {
          const root = appFolderOf(from);
          // Workloads with an error are no reason not to start.
          const registry = await loadWorkloads(root).catch(() => undefined);
          const input = await inputOf(options, registry, root);
          return develop({ root, options, folder, interrupted, input, project: join(root, 'tsconfig.json') });
        },
      },
      args,
    ),
};

/** The file to process, and its workload. */
interface Input {
  file: string;
  workload: string;
}

/**
 * Returns the file of the command line, or else the sample of the workload: the file in samples/ with its name. The workload
 * is the first of workloads/index.ts if none is given. Undefined if there is no sample.
 */
async function inputOf(
  { file, workload }: StartOptions,
  registry: Registry | undefined,
  root: string,
): Promise<Input | undefined> {
  const names = registry?.workloads.map(({ name }) => name) ?? [];
  const chosen = workload ?? names[0] ?? '';
  if (registry !== undefined && !names.includes(chosen))
    throw new Error(`--workload: expected one of ${names.join(', ')}, got ${chosen}`);
  if (file !== undefined) return { file, workload: chosen };
  const samples = await readdir(join(root, 'samples')).catch((): string[] => []);
  const sample = samples.sort().find((name) => name.startsWith(`${chosen}.`));
  return sample === undefined ? undefined : { file: join(root, 'samples', sample), workload: chosen };
}
