/** The commands of the `sluice` command that run in the folder of an app: their own parsers, and no session with a server. */
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newWorkload } from '../cli/new-workload/command.ts';
import type { Io } from '../cli/process/io.ts';
import { loadWorkloads } from '../cli/try/load-workloads.ts';
import { appFolderOf } from '../shared/app-folder.ts';
import type { Registry } from '../shared/workload/registry.ts';
import { writeFiles } from './app-files.ts';
import { devUsage, readArguments, readDevArguments, type StartOptions, startUsage } from './arguments.ts';
import { runCommand } from './command.ts';
import { readSources } from './dev/app-sources.ts';
import { develop } from './dev/develop.ts';
import { runStart } from './run-start.ts';
import { hostOf, stackOptions } from './stack-options.ts';

/** Runs a command of an app with the arguments after its name. It ends the process, or sets its exit code. */
type AppCommand = (args: string[], io: Io) => Promise<void>;

const SAMPLE = `                  without FILE, samples/W.* is processed if there is one
`;

const start: AppCommand = async (args, { folder: from }) => {
  const root = appFolderOf(from);
  runCommand(
    {
      root,
      usage: startUsage('sluice start', SAMPLE),
      read: readArguments,
      run: async (options, folder, interrupted) => {
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
  );
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
  if (file !== undefined) {
    await access(file);
    return { file, workload: chosen };
  }
  const samples = await readdir(join(root, 'samples')).catch((): string[] => []);
  const sample = samples.sort().find((name) => name.startsWith(`${chosen}.`));
  return sample === undefined ? undefined : { file: join(root, 'samples', sample), workload: chosen };
}

const dev: AppCommand = async (args, { folder: from }) => {
  const root = appFolderOf(from);
  runCommand(
    {
      root,
      usage: devUsage('sluice dev', SAMPLE),
      read: readDevArguments,
      run: async (options, folder, interrupted) =>
        develop({
          ...{ root, options, folder, interrupted, project: join(root, 'tsconfig.json') },
          // Workloads with an error are no reason not to start.
          input: await inputOf(options, await loadWorkloads(root).catch(() => undefined), root),
        }),
    },
    args,
  );
};

const create: AppCommand = async (args, io) => {
  process.exitCode = await newWorkload(args, { ...io, root: appFolderOf(io.folder) });
};

const pack: AppCommand = async (_args, { folder, stdout }) => {
  const root = appFolderOf(folder);
  const { describePackage, packageApp } = await import('../infra/packaging/package-app.ts');
  const made = await packageApp(root, join(root, 'out'));
  stdout.write(`${describePackage(made, root)}\n`);
};

/** By name. */
export const APP_COMMANDS: Readonly<Record<string, AppCommand>> = { start, dev, package: pack, 'new-workload': create };
