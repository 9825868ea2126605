import { join, sep } from 'node:path';
import type { Command } from 'commander';
import { CliError } from '../process/errors.ts';
import type { ExitCode } from '../process/exit-codes.ts';
import type { Act, Session } from '../session.ts';
import { packageRoot } from '../version.ts';
import { generate } from './generate.ts';

/** The commands that run a script of the package: their arguments and what they do. */
const SCRIPTS = {
  'after-provision': [
    '<group> <namespace> <topic> [subscription]',
    'after provisioning: remove match-all rules, wait for the role of the apps',
  ],
  provision: [
    '<environment> <location> <parameters> <outputs>',
    'pause the apps and deploy the template, if it has changed',
  ],
  'first-publish': ['<group> <package>', 'publish the package to the apps that have none yet'],
  publish: ['<outputs> <package>', 'for every app: pause, publish the package if it has changed, resume, sweep'],
  'publish-app': ['<group> <app> <package>', 'publish the package to one app'],
  pause: ['<group> [app]', 'pause the queues of one app or of all apps, with an end, and wait for running slices'],
  resume: ['<group> [app]', 'end the pauses of azure pause'],
  sweep: ['<group> [app]', 'run the sweep of one app or of all apps'],
  keys: ['<group> <app> <action> <class> <name>', 'set or remove a key of class client, operator or both'],
  smoke: ['<group> <app> [options...]', 'run a small batch with its own key: --workload NAME --file FILE --lane LANE'],
  output: ['<outputs> <name>', 'print an output of a deployment from its JSON'],
  'deployment-env': ['[parameters]', 'print the variables of infra/main.bicepparam, from JSON on standard input'],
} as const;

/** The names of all commands of `sluice azure`. */
export const AZURE_COMMANDS: readonly string[] = ['generate', ...Object.keys(SCRIPTS)];

const HELP = `
The scripts use the folder in which the command is called for relative paths, and the subscription of AZURE_SUBSCRIPTION_ID,
otherwise the one selected in az. They need sh and az (signed in); some need curl, jq or openssl. docs/deploy.md shows when
each is used. The exit code is that of the script.

Examples:
  sluice azure generate
  sluice azure sweep rg-production
  sluice azure keys rg-production func-default-production set client acme`;

/** `sluice azure COMMAND`. */
export function addAzure(program: Command, act: Act): void {
  const azure = program
    .command('azure')
    .summary('generate, publish, keys and checks of a deployment on Azure')
    .description(
      'Prepares and completes a deployment on Azure, which azd or az makes with the template of the package.',
    )
    .addHelpText('after', HELP);
  azure
    .command('generate')
    .description('write infra/pools.json, infra/containers.json and the services of azure.yaml from the workloads')
    .action(act(generate));
  for (const [name, [args, about]] of Object.entries(SCRIPTS))
    azure
      .command(`${name} ${args}`)
      .description(about)
      .allowUnknownOption(name === 'smoke')
      .action(act((session, ...given: unknown[]) => runScript(session, name, given)));
}

/** Runs a script of the package in the folder of the caller. `given` are its arguments, then the options of the parser. */
async function runScript({ io }: Session, name: string, given: readonly unknown[]): Promise<ExitCode> {
  // sh of Windows takes only slashes for separators.
  const script = join(packageRoot(), 'infra', `${name}.sh`).replaceAll(sep, '/');
  const args = given
    .slice(0, -1)
    .flat()
    .filter((value) => value !== undefined);
  const code = await io.run('sh', [script, ...args.map(String)]);
  if (code === undefined)
    throw new CliError(`azure ${name}: expected the command sh, which was not found`, {
      hint: 'On Windows, run sluice in Git Bash or in WSL.',
    });
  return code as ExitCode;
}
