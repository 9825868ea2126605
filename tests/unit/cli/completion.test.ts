import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCRIPTS, SHELLS } from '../../../cli/completion/scripts.ts';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { BATCH_STATES } from '../../../shared/batches/batch-row.ts';
import { type Answer, connectionFault, run } from './world.ts';

const ID = '01a1fe1f-bab8-7ae4-96f3-25c93f470606';
const batches = [{ id: ID, workload: 'billing', state: 'completed', createdAt: '2026-11-21T12:40:54.000Z' }];
const app: Record<string, Answer> = {
  'GET batches?limit=50': { json: { batches } },
  'GET queues': { json: { queues: [{ queue: 'billing-normal-0' }, { queue: 'media-normal-0' }] } },
  'GET health': { json: { workloads: ['billing', 'media'] } },
};

/** Returns the words that complete a command line. */
async function offered(line: string, answers = app): Promise<string[]> {
  const { code, out, err } = await run(['__complete', ...line.split(' ')], answers);
  expect([code, err]).toEqual([EXIT.done, '']);
  return out
    .split('\n')
    .filter((each) => each !== '')
    .map((each) => each.split('\t')[0] ?? '');
}

describe('completion', () => {
  it.each([
    ['ba', ['batches']],
    ['re', ['results', 'report', 'redrive', 'resume']],
    ['help re', ['results', 'report', 'redrive', 'resume']],
    ['batches --st', ['--state']],
    ['batches --state ', [...BATCH_STATES]],
    ['batches --state complete', ['completed', 'completedWithDeadLetters']],
    ['batches --state = complete', ['completed', 'completedWithDeadLetters']],
    ['batches -o ', ['table', 'json', 'csv']],
    ['-o json batches --limit 3 -', undefined],
    ['submit --format c', ['csv']],
    ['submit x', [':files']],
    ['submit x.csv y', [':files']],
    ['try x', [':files']],
    ['try x.csv --workload m', ['media']],
    ['find ', [ID]],
    ['inbox re', ['retry']],
    ['inbox --workload ', ['billing', 'media']],
    ['report b --out ', [':files']],
    ['report b ', []],
    ['report b --revision ', []],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['watch ', [ID]],
    ['watch 01a1', [ID]],
    ['watch 02', []],
    ['watch --timeout 5 ', [ID]],
    ['pause ', ['billing-normal-0', 'media-normal-0', ID]],
    ['policy m', ['media-normal-0']],
    ['drain b', ['billing-normal-0']],
    ['clear b', ['billing-normal-0']],
    ['items ', [ID]],
    ['items --state d', ['dead', 'discarded']],
    ['batches --workload ', ['billing', 'media']],
    ['frobnicate ', []],
  ])('completes "%s"', async (line, words) => {
    const found = await offered(line);
    if (words !== undefined) expect(found).toEqual(words);
    else expect(found).toEqual(expect.arrayContaining(['--day', '--json', '--profile']));
  });

  it('offers every command with its summary, and does not mistake the value of an option for a command', async () => {
    const { out } = await run(['__complete', '']);
    expect(out).toContain('watch\tshow the progress of a batch until it is finished\n');
    expect((await offered('--url http://other.test wat'))[0]).toBe('watch');
  });

  it('reads names from the app with the key of the command line', async () => {
    const { asked } = await run(['__complete', 'queues', '--key', 'mine', '--workload', ''], app);
    expect(asked).toEqual([]);
    const named = await run(['__complete', '--key', 'mine', 'pause', ''], app);
    expect(named.asked.map(({ path, key }) => [path, key])).toEqual([
      ['queues', 'mine'],
      ['batches?limit=50', 'mine'],
    ]);
  });

  it('offers the declared words if the app does not answer', async () => {
    const answers = { 'GET batches?limit=50': connectionFault('ECONNREFUSED'), 'GET queues': { status: 401 } };
    expect(await offered('pause ', answers)).toEqual([]);
    expect(await offered('watch --', answers)).toContain('--timeout');
  });
});

describe('the script of a shell', () => {
  it.each(SHELLS)('calls sluice __complete: %s', async (shell) => {
    const { code, out } = await run(`completion ${shell}`);
    expect([code, out]).toEqual([EXIT.done, SCRIPTS[shell]]);
    expect(out).toContain('sluice __complete');
    expect(out).toMatch(/complete -F _sluice sluice|compdef _sluice sluice|complete -c sluice/);
    expect(JSON.parse((await run(`completion ${shell} --json`)).out)).toEqual({ shell, script: out });
  });

  it('offers the words of the command in bash, and files if the command requests them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-bash-'));
    try {
      // Replaces the command: prints its arguments with a meaning each, or requests files if the last one is "us".
      const command = `#!/bin/sh\nfor last; do :; done\nif [ "$last" = us ]; then echo :files; else for word; do printf '<%s>\\tmeaning\\n' "$word"; done; fi\n`;
      await writeFile(join(folder, 'sluice'), command);
      await chmod(join(folder, 'sluice'), 0o755);
      await writeFile(join(folder, 'usage 1.csv'), '');
      await writeFile(join(folder, 'complete.bash'), SCRIPTS.bash);
      const complete = (words: string, at: number): string[] => {
        const script = `source ./complete.bash\nCOMP_WORDS=(${words})\nCOMP_CWORD=${at}\n_sluice\nprintf '%s\\n' "\${COMPREPLY[@]}"\ncomplete -p sluice`;
        const env = { PATH: `${folder}:${process.env.PATH}` };
        return execFileSync('bash', ['--norc', '-c', script], { cwd: folder, env, encoding: 'utf8' })
          .trimEnd()
          .split('\n');
      };
      const registered = 'complete -F _sluice sluice';
      expect(complete("sluice batches '' --json", 2)).toEqual(['<__complete>', '<batches>', '<>', registered]);
      expect(complete('sluice report b --out us', 4)).toEqual(['usage 1.csv', registered]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
