import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { RELEASED } from '../../../../infra/packaging/release.ts';
import { ROOT } from '../bicep.ts';

const FOLDER = '.github/workflows';
const files = readdirSync(join(ROOT, FOLDER));
const read = (file: string): string => readFileSync(join(ROOT, FOLDER, file), 'utf8');

type WorkflowParser = typeof import('@actions/workflow-parser');
const parser = await loadParser();

/** GitHub's own parser. It is bundled, because it imports JSON without an import attribute, which Node.js refuses. */
async function loadParser(): Promise<WorkflowParser> {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '@actions/workflow-parser';", resolveDir: ROOT },
    bundle: true,
    format: 'esm',
    platform: 'node',
    // Its YAML package is CommonJS and requires `process`.
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire('${pathToFileURL(ROOT)}/');`,
    },
    write: false,
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return (await import(`data:text/javascript;base64,${code}`)) as WorkflowParser;
}

async function faultsOf(name: string, content: string): Promise<string[]> {
  const { context, value } = parser.parseWorkflow({ name, content }, new parser.NoOperationTraceWriter());
  const template = value === undefined ? undefined : await parser.convertWorkflowTemplate(context, value);
  return [...context.errors.getErrors().map(String), ...(template?.errors ?? []).map(({ Message }) => Message)];
}

interface Step {
  name?: string;
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}
interface Job {
  'timeout-minutes'?: number;
  needs?: string;
  environment?: string;
  permissions?: Record<string, string>;
  env?: Record<string, string>;
  steps: Step[];
}
const jobsOf = (file: string): [string, Job][] =>
  Object.entries((parse(read(file)) as { jobs: Record<string, Job> }).jobs);

describe("GitHub's parser", () => {
  test.each(files)('accepts %s', async (file) => {
    expect(await faultsOf(file, read(file))).toEqual([]);
  });

  it('detects an error', async () => {
    expect(await faultsOf('x', 'on: push\njobs:\n  a:\n    run-on: ubuntu-latest\n')).not.toEqual([]);
  });
});

describe.each(files)('%s', (file) => {
  it('pins every action to a commit, with its version in a comment', () => {
    const lines = read(file).match(/^.*uses:.*$/gm) ?? [];
    expect(lines.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('has only read permissions by default, and limits the time of each job', () => {
    expect((parse(read(file)) as { permissions: unknown }).permissions).toEqual({ contents: 'read' });
    for (const [, job] of jobsOf(file)) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
  });

  it('stores no credentials in the checkout or in the workflow', () => {
    for (const [, job] of jobsOf(file)) {
      const checkouts = job.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
    }
    expect(read(file)).not.toContain('secrets.');
  });

  it('contains no expressions in scripts, which would execute their text', () => {
    const scripts = jobsOf(file).flatMap(([, job]) => job.steps.flatMap(({ run }) => run ?? []));
    expect(scripts.filter((run) => run.includes('${{'))).toEqual([]);
  });
});

/** Returns a GitHub expression in the syntax of a workflow. */
const expression = (text: string): string => `\${{ ${text} }}`;

describe('deploy.yml', () => {
  const jobs = Object.fromEntries(jobsOf('deploy.yml'));
  const scriptOf = (job: string): string => (jobs[job]?.steps ?? []).map(({ run }) => run ?? '').join('\n');
  const stepOf = (job: string, text: string): Step | undefined =>
    jobs[job]?.steps.find(({ run }) => run?.includes(text));

  it('previews, deploys and sweeps, in this order; only these jobs may sign in', () => {
    expect(Object.keys(jobs)).toEqual(['build', 'preview', 'deploy']);
    const idTokens = Object.values(jobs).map(({ permissions }) => permissions?.['id-token']);
    expect(idTokens).toEqual([undefined, 'write', 'write']);
    expect(Object.values(jobs).map(({ needs }) => needs)).toEqual([undefined, 'build', 'preview']);
    expect(scriptOf('build')).toContain('bash .ci/run');
    expect(scriptOf('build')).toContain('npm run package');
    expect(scriptOf('preview')).toContain('what-if');
    expect(scriptOf('deploy')).toContain('sluice -- azure publish ');
    expect(scriptOf('deploy')).toContain('sluice -- azure provision ');
    expect(readFileSync(join(ROOT, 'infra/publish.sh'), 'utf8')).toMatch(
      /\/pause\.sh[\s\S]*\/publish-app\.sh[\s\S]*\/resume\.sh[\s\S]*\/sweep\.sh/,
    );
  });

  it('shows the preview in the summary, in an environment without reviewers', () => {
    expect(stepOf('preview', 'what-if')?.run).toContain('out/what-if.txt; printf');
    expect(stepOf('preview', 'what-if')?.run).toContain('>> "$GITHUB_STEP_SUMMARY"');
    const environment = expression('inputs.environment');
    expect([jobs.preview?.environment, jobs.deploy?.environment]).toEqual([`${environment}-preview`, environment]);
  });

  it('previews without write permissions, because that job has no reviewer', () => {
    expect(stepOf('preview', 'what-if')?.run).toContain('--validation-level ProviderNoRbac');
    expect(scriptOf('preview')).not.toContain('deployment sub create');
  });

  it('can be restarted: artifacts overwrite those of an earlier attempt', () => {
    const uploads = Object.values(jobs).flatMap(({ steps }) =>
      steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact@')),
    );
    expect(uploads.map((step) => step.with?.overwrite)).toEqual([true, true, true]);
  });

  it('reads all parameters from the variables of the environment, and deploys the previewed ones', () => {
    const parameters = stepOf('preview', 'azure deployment-env');
    expect(parameters?.env).toEqual({ VARIABLES: expression('toJSON(vars)') });
    expect(parameters?.run).toContain('> out/parameters.env');
    for (const job of ['preview', 'deploy']) expect(scriptOf(job)).toContain('cat out/parameters.env >> "$GITHUB_ENV"');
    // An unset variable is an empty text here, which would override a default of main.bicepparam.
    const { env } = parse(read('deploy.yml')) as { env: Record<string, string> };
    const set = [env, jobs.preview?.env, jobs.deploy?.env].flatMap((each) => Object.keys(each ?? {}));
    expect(set.filter((name) => parameterVariables().includes(name))).toEqual(['AZURE_ENV_NAME']);
  });

  it('runs one deployment per environment at a time, and cancels none that is running', () => {
    const { concurrency } = parse(read('deploy.yml')) as { concurrency: unknown };
    expect(concurrency).toEqual({ group: `deploy-${expression('inputs.environment')}`, 'cancel-in-progress': false });
  });

  it('passes the subscription to every call', () => {
    const calls = ['preview', 'deploy'].flatMap((job) => scriptOf(job).match(/^ *az .*$/gm) ?? []);
    expect(calls.length).toBe(1);
    expect(calls.filter((call) => !call.includes('--subscription "$AZURE_SUBSCRIPTION_ID"'))).toEqual([]);
    expect(jobs.deploy?.env).toEqual({ AZURE_SUBSCRIPTION_ID: expression('vars.AZURE_SUBSCRIPTION_ID') });
  });

  it('ends with a smoke test, and prints rollback instructions if it or publishing fails', () => {
    const names = jobs.deploy?.steps.map(({ name }) => name) ?? [];
    expect(names.slice(-3)).toEqual(['Pause, publish, resume and sweep every app', 'Smoke test', 'How to roll back']);
    expect(stepOf('deploy', 'azure smoke')?.if).toBeUndefined();
    const rollback = jobs.deploy?.steps.at(-1);
    expect(rollback?.if).toBe("failure() && steps.publish.outcome != 'skipped'");
    expect(stepOf('deploy', 'azure publish')?.id).toBe('publish');
    for (const text of ['gh run download', 'out/before/sluice.zip', '>> "$GITHUB_STEP_SUMMARY"'])
      expect(rollback?.run).toContain(text);
    expect(readFileSync(join(ROOT, 'infra/smoke.sh'), 'utf8')).toMatch(/::add-mask::[\s\S]*smoke\.ts/);
  });
});

describe('release.yml', () => {
  const jobs = Object.fromEntries(jobsOf('release.yml'));
  const scriptsOf = (job: string): string[] => (jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? []);
  const indexOf = (text: string): number => scriptsOf('build').findIndex((run) => run.includes(text));

  it('runs only for version tags', () => {
    expect((parse(read('release.yml')) as { on: unknown }).on).toEqual({ push: { tags: ['v*'] } });
  });

  it('compares the tag with the sources, tests and packs, in this order', () => {
    const order = ['node infra/release.ts "$GITHUB_REF_NAME"', 'bash .ci/run', 'npm run package'];
    expect([...order, 'npm pkg set repository', 'npm pack .'].map(indexOf)).toEqual([0, 1, 2, 3, 4]);
  });

  it('packs what is released, with its repository', () => {
    const names = RELEASED.map((folder) => {
      const about = JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8')) as {
        name: string;
      };
      return about.name;
    });
    for (const text of ['npm pkg set', 'npm pack .']) {
      const script = scriptsOf('build')[indexOf(text)] ?? '';
      const workspaces = [...script.matchAll(/--workspace (\S+)/g)].map(([, name]) => name);
      expect(workspaces.toSorted()).toEqual(names.toSorted());
      expect(script).toContain('--include-workspace-root');
    }
  });

  it('publishes the built files with provenance, in a job that runs no code of the repository', () => {
    const { needs, permissions, steps = [] } = jobs.publish ?? {};
    expect(needs).toBe('build');
    expect(permissions).toEqual({ contents: 'write', 'id-token': 'write', attestations: 'write' });
    expect(jobs.build?.permissions).toBeUndefined();
    expect(steps.map(({ uses, name }) => uses?.split('@', 1)[0] ?? name)).toEqual([
      ...['actions/download-artifact', 'actions/setup-node', 'actions/attest'],
      ...['Publish to npm', 'Make the release'],
    ]);
    const files = ['out/*.tgz', 'out/sluice.zip'];
    expect(String(steps[2]?.with?.['subject-path']).trim().split('\n')).toEqual(files);
    expect(scriptsOf('publish').at(-1)?.trim()).toMatch(new RegExp(` ${files.join(' ').replaceAll('*', '\\*')}$`));
  });
});

/** The variables from which the parameters of the deployment are read. */
function parameterVariables(): string[] {
  const text = readFileSync(join(ROOT, 'infra/main.bicepparam'), 'utf8');
  return [...text.matchAll(/readEnvironmentVariable\(\s*'(\w+)'/g)].map(([, name = '']) => name);
}

describe('infra/deployment-env.sh', () => {
  /** Returns the variables of a job after it has read the output of the script. */
  function environmentOf(variables: Record<string, string>): Record<string, string> {
    const run = spawnSync('sh', [join(ROOT, 'infra/deployment-env.sh')], {
      input: JSON.stringify(variables),
      encoding: 'utf8',
    });
    expect([run.stderr, run.status]).toEqual(['', 0]);
    const values = [...run.stdout.matchAll(/^(\w+)<<(.+)\n([\s\S]*?)\n\2$/gm)];
    return Object.fromEntries(values.map(([, name, , value]) => [name, value]));
  }

  it('passes every variable that main.bicepparam reads', () => {
    const names = parameterVariables();
    expect(names.length).toBeGreaterThan(5);
    const all = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
    const { AZURE_ENV_NAME: _ofTheInput, ...expected } = all;
    expect(environmentOf(all)).toEqual(expected);
  });

  it('omits variables that are not set or not parameters', () => {
    const variables = { AZURE_LOCATION: 'westeurope', AZURE_CLIENT_ID: 'x', PATH: '/tmp', SLUICE_KEY: 'secret' };
    expect(environmentOf(variables)).toEqual({ AZURE_LOCATION: 'westeurope' });
    expect(environmentOf({})).toEqual({});
  });

  it('does not change values with line breaks, quotes or shell commands', () => {
    const value = 'a "b"\n$(touch pwned) `id` \'c\'\nAZURE_LOCATION=other';
    expect(environmentOf({ SLUICE_ALERT_EMAIL: value })).toEqual({ SLUICE_ALERT_EMAIL: value });
  });
});
