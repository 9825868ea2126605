import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from './bicep.ts';

const FOLDER = '.github/workflows';
const files = readdirSync(join(ROOT, FOLDER));
const read = (file: string): string => readFileSync(join(ROOT, FOLDER, file), 'utf8');

type WorkflowParser = typeof import('@actions/workflow-parser');
const parser = await loadParser();

/** GitHub's own parser. It imports JSON without an import attribute, which Node refuses: bundled, it needs none. */
async function loadParser(): Promise<WorkflowParser> {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '@actions/workflow-parser';", resolveDir: ROOT },
    bundle: true,
    format: 'esm',
    platform: 'node',
    // Its YAML package is CommonJS and asks for `process`.
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

interface Job {
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}
const jobsOf = (file: string): [string, Job][] =>
  Object.entries((parse(read(file)) as { jobs: Record<string, Job> }).jobs);

describe("GitHub's parser", () => {
  test.each(files)('takes %s', async (file) => {
    expect(await faultsOf(file, read(file))).toEqual([]);
  });

  it('sees a fault where there is one', async () => {
    expect(await faultsOf('x', 'on: push\njobs:\n  a:\n    run-on: ubuntu-latest\n')).not.toEqual([]);
  });
});

describe.each(files)('%s', (file) => {
  it('pins every action by commit and names its version', () => {
    const lines = read(file).match(/^.*uses:.*$/gm) ?? [];
    expect(lines.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('starts with the right to read and nothing more, and bounds the time of each job', () => {
    expect((parse(read(file)) as { permissions: unknown }).permissions).toEqual({ contents: 'read' });
    for (const [, job] of jobsOf(file)) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
  });

  it('leaves no credential in the checkout and none in the workflow', () => {
    for (const [, job] of jobsOf(file)) {
      const checkouts = job.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
    }
    expect(read(file)).not.toContain('secrets.');
  });

  it('puts no expression into a script, where its text would be run', () => {
    const scripts = jobsOf(file).flatMap(([, job]) => job.steps.flatMap(({ run }) => run ?? []));
    expect(scripts.filter((run) => run.includes('${{'))).toEqual([]);
  });
});

describe('deploy.yml', () => {
  it('previews, then deploys, then sweeps; only these jobs may sign in', () => {
    const jobs = jobsOf('deploy.yml');
    expect(jobs.map(([name]) => name)).toEqual(['build', 'preview', 'deploy']);
    expect(jobs.map(([, { permissions }]) => permissions?.['id-token'])).toEqual([undefined, 'write', 'write']);
    const scripts = jobs.map(([, { steps }]) => steps.map(({ run }) => run ?? '').join('\n'));
    expect(scripts[0]).toContain('bash .ci/run');
    expect(scripts[0]).toContain('npm run package');
    expect(scripts[1]).toContain('what-if');
    expect(scripts[2]).toContain('infra/publish.sh');
    expect(readFileSync(join(ROOT, 'infra/publish.sh'), 'utf8')).toContain('sweep.sh');
  });
});
