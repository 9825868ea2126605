/** The command `sluice azure`, as a process of its own, with the fakes of the scripts. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AZURE_COMMANDS } from '../../../../cli/azure/commands.ts';
import { registry } from '../../../../workloads/index.ts';
import { writeAppFolder } from '../../../helpers/app-folder.ts';
import { run } from '../../cli/world.ts';
import { ROOT } from '../bicep.ts';
import { callsOf, fake, fakeAz, inFolder, type Run, sluice, useFakeCommands } from './fake-commands.ts';

useFakeCommands();

const SHOW = 'functionapp show';
const APPS = 'functionapp list';
const KEYS = 'function keys list';

describe('sluice azure', () => {
  it('has a script of the package for every command but generate', () => {
    const missing = AZURE_COMMANDS.filter((name) => !existsSync(join(ROOT, `infra/${name}.sh`)));
    expect(missing).toEqual(['generate']);
  });

  it('runs a script of the package with its arguments, in the folder of the caller', () => {
    fakeAz({ [APPS]: 'echo func-a', [SHOW]: 'echo host', [KEYS]: 'echo key' });
    fake('curl', 'cat > /dev/null; pwd');
    const { status, stdout, stderr } = sluice(['azure', 'sweep', 'rg']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.trim()).toBe(dirname(inFolder('x')));
    expect(callsOf('az').every((call) => call.includes('--resource-group rg'))).toBe(true);
  });

  it('resolves the files of a call in the folder of the caller', () => {
    writeFileSync(inFolder('outputs.json'), JSON.stringify({ sluicE_APPS: { value: ['func-a', 'func-b'] } }));
    expect(sluice(['azure', 'output', 'outputs.json', 'SLUICE_APPS']).stdout).toBe('func-a\nfunc-b\n');
  });

  it("reads the parameter file of the caller's app, and standard input", () => {
    const call = (): Run => sluice(['azure', 'deployment-env'], '{"ORDERS_REGION":"x","AZURE_LOCATION":"y"}');
    expect(call()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no parameter file infra/main.bicepparam'),
    });
    mkdirSync(inFolder('infra'));
    writeFileSync(inFolder('infra/main.bicepparam'), "param region = readEnvironmentVariable('ORDERS_REGION', '')\n");
    expect(call()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^ORDERS_REGION<<.*\nx\n.*\n$/) });
  });

  it('passes the exit code of the script', () => {
    fakeAz({});
    expect(sluice(['azure', 'keys', 'rg', 'func-a', 'set', 'nobody', 'acme'])).toMatchObject({
      ...{ status: 2, stderr: 'expected client, operator or both, got nobody\n' },
    });
    expect(sluice(['azure', 'after-provision', 'rg', 'bus', 'topic']).status).toBe(1);
    expect(sluice(['azure', 'keys', 'rg'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("argument 'app'"),
    });
  });

  it('passes the options of the smoke test', async () => {
    const { code, ran } = await run('azure smoke rg func-a --workload orders --file small.ndjson', {}, { exitCode: 0 });
    expect([code, ran]).toEqual([
      0,
      [['sh', [join(ROOT, 'infra/smoke.sh'), ...'rg func-a --workload orders --file small.ndjson'.split(' ')]]],
    ]);
  });

  it('explains what is missing on a machine without sh', async () => {
    const { code, err } = await run('azure sweep rg');
    expect(code).toBe(1);
    expect(err).toContain('azure sweep: expected the command sh, which was not found');
    expect(err).toContain('Git Bash or in WSL');
  });
});

describe('sluice azure generate', () => {
  const read = (file: string): string => readFileSync(inFolder(file), 'utf8');
  const generate = () => run('azure generate', {}, { folder: dirname(inFolder('x')) });
  beforeEach(() => writeAppFolder(dirname(inFolder('x'))));
  afterEach(() => rmSync(inFolder('workloads'), { recursive: true }));

  it('writes the files of a new app', async () => {
    expect(await generate()).toMatchObject({ code: 0, out: expect.stringContaining('wrote infra/pools.json') });
    expect(JSON.parse(read('infra/pools.json'))).toMatchObject([{ name: 'default', memory: 2048 }, { name: 'media' }]);
    expect(JSON.parse(read('infra/containers.json'))).toEqual(registry.containers);
    expect(existsSync(inFolder('azure.yaml'))).toBe(false);
  });

  it('keeps configured values, and updates the services', async () => {
    const configured = { name: 'default', memory: 512, maximumInstanceCount: 7, alwaysReady: [] };
    mkdirSync(inFolder('infra'));
    writeFileSync(inFolder('infra/pools.json'), JSON.stringify([configured]));
    writeFileSync(inFolder('azure.yaml'), 'name: a\nservices:\n  default:\n    host: function\n');
    expect((await generate()).code).toBe(0);
    expect(JSON.parse(read('infra/pools.json'))[0]).toEqual(configured);
    expect(read('azure.yaml')).toBe(
      'name: a\nservices:\n  default:\n    host: function\n  media:\n    host: function\n',
    );
    rmSync(inFolder('infra'), { recursive: true });
  });
});
