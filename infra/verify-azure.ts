/** `npm run verify-azure -- --group <group> --app <app>`: runs the checks of docs/azure-status.md and writes a report. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatList } from '../cli/text/format.ts';
import { registry } from '../workloads/index.ts';
import type { Context } from './azure-checks/check.ts';
import { CHECKS } from './azure-checks/checks.ts';
import { checkList } from './azure-checks/list.ts';
import { reportText, summary } from './azure-checks/report.ts';
import { runChecks } from './azure-checks/run-checks.ts';
import { type Machine, runCommand } from './azure-checks/tools.ts';

const USAGE = `Usage: npm run verify-azure -- --group <resource group> --app <app> [options]

Runs the checks of docs/azure-status.md against a deployment. Needs az (signed in). Changes nothing, except that it submits
small batches if a key is given. Exit codes: 0 no check failed, 1 a check failed, 2 invalid command line or deployment.

  --app <name>               the app that receives requests; the other apps of the group are found
  --subscription <id>        defaults to AZURE_SUBSCRIPTION_ID, otherwise to the one selected in az
  --key <key>                function key of a client system (SLUICE_KEY)
  --removed-key <key>        function key that was used, and then removed (SLUICE_REMOVED_KEY)
  --batch <workload>=<file>  a batch for a workload of another pool; may be repeated
${formatList(
  CHECKS.map(({ id }) => id),
  { head: '  --only <id>,<id>           only these checks: ', indent: ' '.repeat(29) },
).join('\n')}
  --out <file>               defaults to out/azure-report.md
  --list                     prints what the checks will show, and runs none`;

const OPTIONS = {
  group: { type: 'string' },
  app: { type: 'string' },
  subscription: { type: 'string' },
  key: { type: 'string' },
  'removed-key': { type: 'string' },
  batch: { type: 'string', multiple: true },
  only: { type: 'string' },
  out: { type: 'string', default: 'out/azure-report.md' },
  list: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const root = join(import.meta.dirname, '..');
const readJson = async <T>(file: string): Promise<T> => JSON.parse(await readFile(join(root, file), 'utf8')) as T;

/** Maximum wait for an app without instances; the limit of the platform is 230 s. */
const ANSWER_MS = 240_000;

const machine: Machine = {
  run: runCommand,
  get: async (url, key) => {
    const startedMs = performance.now();
    const headers: Record<string, string> = key === undefined ? {} : { 'x-functions-key': key };
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await answer.text();
    return { status: answer.status, text, ms: performance.now() - startedMs };
  },
  now: () => new Date(),
  writeFile: async (path, text) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  },
};

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 2;
});

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  const { group, app, out } = values;
  const subscription = values.subscription ?? (process.env.AZURE_SUBSCRIPTION_ID || undefined);
  if (values.list) {
    console.log(checkList());
    return 0;
  }
  if (values.help || group === undefined || app === undefined) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const only = values.only?.split(',');
  const unknown = only?.find((id) => !CHECKS.some((check) => check.id === id));
  if (unknown !== undefined) {
    console.error(`There is no check "${unknown}".\n\n${USAGE}`);
    return 2;
  }
  const host = await readJson<{ extensions: { durableTask: { storageProvider: { partitionCount: number } } } }>(
    'host.json',
  );
  const run = await runChecks(machine, {
    ...{ group, app, subscription, only },
    key: values.key ?? process.env.SLUICE_KEY,
    removedKey: values['removed-key'] ?? process.env.SLUICE_REMOVED_KEY,
    batches: Object.fromEntries((values.batch ?? []).map((each) => each.split('=', 2) as [string, string])),
    poolsOfWorkloads: Object.fromEntries(registry.workloads.map(({ name, pool }) => [name, pool])),
    pools: await readJson<Context['pools']>('infra/pools.json'),
    partitionCount: host.extensions.durableTask.storageProvider.partitionCount,
    version: (await readJson<{ version: string }>('package.json')).version,
    onStep: (id, about) => console.log(`${id}: ${about}`),
  });
  await machine.writeFile(out, reportText(run));
  for (const { id, result, evidence } of run.steps) console.log(`${result.padEnd(8)}${id}: ${evidence.split('\n')[0]}`);
  console.log(`${summary(run.steps)}: ${out}`);
  return run.steps.some(({ result }) => result === 'fail') ? 1 : 0;
}
