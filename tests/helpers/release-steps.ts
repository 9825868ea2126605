/** Runs the shell text of the steps of release.yml, as a runner of GitHub does. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Workflow {
  jobs: Record<string, { steps: { name?: string; run?: string }[] }>;
}

/** The end of a step, with what it has printed. */
export interface StepRun {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the step of this name in the folder `cwd`, with no other variables than `env`. */
export function runReleaseStep(name: string, cwd: string, env: Record<string, string>): StepRun {
  const file = join(import.meta.dirname, '../../.github/workflows/release.yml');
  const { jobs } = parse(readFileSync(file, 'utf8')) as Workflow;
  const step = Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .find((one) => one.name === name);
  if (step?.run === undefined) throw new Error(`Expected release.yml to have a step "${name}" with a script.`);
  const options = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run];
  const { status, stdout, stderr } = spawnSync('bash', options, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}
