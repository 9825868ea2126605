/** The commands for the app in the working folder that have the parser of all commands. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { appFolderOf } from '../../shared/app-folder.ts';
import type { NewWorkloadOptions } from '../new-workload/command.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Act, Action } from '../session.ts';
import { addTableOptions } from '../upload/csv-flags.ts';

const HELP = `
Writes the workload and its test, and adds the workload to workloads/index.ts. Overwrites no file. Without --from, a
terminal asks for a sample; without one, the schema is an example.

Example:
  sluice new-workload orders --from orders.csv`;

/** `sluice new-workload NAME` and `sluice package`. */
export function addApp(program: Command, act: Act): void {
  const create = program
    .command('new-workload')
    .summary('create a workload and its test, from a sample of its items if there is one')
    .description('Creates a workload and its test, and adds the workload to the registry.')
    .argument('<name>', 'lower-case words joined by dashes, such as invoice-checks')
    .option('--from <file>', 'a sample of the items; the schema is derived from its first 10,000 records');
  addTableOptions(create).addHelpText('after', HELP).action(act(newWorkload));
  program
    .command('package')
    .summary('create the deployable package of the app in out/')
    .description('Creates the deployable package of the app in out/: the bundle as a folder, and as a zip.')
    .option('--backend <type>', 'durable backend: azureStorage or azureManaged (SLUICE_DURABLE_BACKEND)')
    .action(act(pack));
}

// The readers of samples and the bundler take their time to load, which no other command should pay for.
const newWorkload: Action<[string, NewWorkloadOptions]> = async (session, name, options) =>
  (await import('../new-workload/command.ts')).newWorkload(session, name, options);

const pack: Action<[{ backend?: string }]> = async ({ io, answer }, options) => {
  const { backend = io.env.SLUICE_DURABLE_BACKEND } = options;
  const root = appFolderOf(io.folder);
  const { describePackage, packageApp } = await import('../../infra/packaging/package-app.ts');
  const made = await packageApp(root, join(root, 'out'), { backend });
  answer(made, () => [describePackage(made, root)]);
  return EXIT.done;
};
