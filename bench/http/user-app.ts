/** A copy of this checkout to which a user adds a workload: `npm run new-workload`, then an edit, then `npm start`. */
import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../demo/root.ts';
import { waitingLines } from '../stack/data.ts';
import type { HttpWork } from './client.ts';

const run = promisify(execFile);
const NAME = 'http-calls';
const MiB = 1024 * 1024;
/** Enough for the output of `npm start`. */
const MAX_OUTPUT_BYTES = 16 * MiB;

/** Copies the files that git lists, and shares the installed packages. */
export async function copyCheckout(folder: string): Promise<void> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  for (const file of listed.stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await run('npm', ['run', 'new-workload', '--', NAME], { cwd: folder });
  await mkdir(join(folder, 'workloads', NAME));
  await cp(join(ROOT, 'bench/http/client.ts'), join(folder, 'workloads', NAME, 'client.ts'));
}

/** Runs `items` items through `npm start`; returns the printed seconds from acceptance to the last item. */
export async function runUserApp(folder: string, work: HttpWork, items: number): Promise<number> {
  const upload = join(folder, 'upload.ndjson');
  await writeFile(join(folder, 'workloads', `${NAME}.ts`), workloadText(work));
  await writeFile(upload, `${waitingLines(items).join('\n')}\n`);
  const args = ['start', '--', upload, '--workload', NAME, '--once'];
  const { stdout } = await run('npm', args, { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES });
  const [, succeeded = ''] = /([\d,]+) succeeded, 0 dead letters/.exec(stdout) ?? [];
  const [, seconds] = /acceptance to completion: .*max ([\d.]+) s/.exec(stdout) ?? [];
  if (Number(succeeded.replaceAll(',', '')) !== items || seconds === undefined)
    throw new Error(`Expected ${items} items to succeed, got:\n${stdout.slice(-2_000)}`);
  return Number(seconds);
}

const workloadText = ({ url, client, concurrency }: HttpWork): string => `import { z } from 'zod';
import { defineWorkload } from '../shared/workload/define.ts';
import { calls } from './${NAME}/client.ts';

export default defineWorkload({
  name: '${NAME}',
  version: 1,
  item: z.object({ n: z.int() }),
  concurrency: ${concurrency},
  map: ({ n }) => calls.${client}(\`${url}\${n}\`),
});
`;
