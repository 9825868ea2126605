import type { Command } from 'commander';
import type { Registry } from '../../shared/workload/registry.ts';
import { toCliError } from '../process/errors.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Act, Action } from '../session.ts';
import { loadWorkloads } from '../try/load-workloads.ts';
import { packageRoot } from '../version.ts';
import { type App, type Finding, openApp } from './app.ts';
import { checkHost } from './host.ts';
import { checkGenerated, checkTemplate } from './infra.ts';
import { checkScripts } from './scripts.ts';
import { checkSettings } from './settings.ts';
import { checkVersions } from './versions.ts';

const HELP = `
Compares versions, host.json, the settings (local.settings.json, local.settings.sample.json and appSettings in infra/), the
template and its parameters, pools and containers, azure.yaml, and package.json. It changes nothing and sends no request. The
exit code is 1 if there is a difference.

Example:
  sluice doctor --json | jq -r '.findings[].fix'`;

/** `sluice doctor`. */
export function addDoctor(program: Command, act: Act): void {
  program
    .command('doctor')
    .summary('compare your app with the package that it uses')
    .description('Compares the app in this folder with its package, and prints what to change.')
    .addHelpText('after', HELP)
    .action(act(doctor));
}

const doctor: Action<[]> = async ({ io, answer }) => {
  const app = openApp(io.folder, packageRoot());
  const findings = [
    ...checkVersions(app, io.nodeVersion),
    ...checkHost(app),
    ...checkSettings(app),
    ...checkTemplate(app),
    ...(await checkWorkloads(app)),
    ...checkScripts(app),
  ];
  const { version } = app.packageManifest;
  answer({ folder: app.folder, version, findings }, () =>
    findings.length === 0 ? [`No differences from sluice ${version}.`] : findings.flatMap(describe),
  );
  return findings.length === 0 ? EXIT.done : EXIT.failed;
};

async function checkWorkloads(app: App): Promise<Finding[]> {
  let registry: Registry;
  try {
    registry = await loadWorkloads(app.folder);
  } catch (error: unknown) {
    const found = toCliError(error).message;
    return [
      { file: 'workloads', key: '', expected: 'workloads that can be loaded', found, fix: 'correct the workload' },
    ];
  }
  return checkGenerated(app, registry);
}

const describe = ({ file, key, expected, found, fix }: Finding): string[] => [
  `${file}${key === '' ? '' : `, ${key}`}: expected ${expected}, got ${found}`,
  `  ${fix}`,
];
