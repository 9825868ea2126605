/** `npm run func:check -- [URL] [N]`: submits N generated items to a running app, and compares the totals. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { showBatch } from '../local/batch/show-batch.ts';
import { verdictOf } from '../local/batch/verdict.ts';
import { writeUsage } from './usage/generate.ts';
import { differences, expectFrom } from './verify/verify.ts';

const [url = 'http://localhost:7071', items = '20000'] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'sluice-check-'));
try {
  const file = join(folder, 'usage.ndjson');
  await writeUsage(file, { items: Number(items) });
  const submission = {
    ...{ file, workload: 'billing', isOnce: false },
    compare: async (answered: Parameters<typeof differences>[1]) => differences(await expectFrom(file), answered),
  };
  // Core Tools require no key.
  const shown = await showBatch({ url, keys: { function: '', master: '' }, instances: [] }, submission, process.stdout);
  const { lines, code } = verdictOf(shown, submission);
  console.log(lines.join('\n'));
  process.exitCode = code;
} finally {
  await rm(folder, { recursive: true, force: true });
}
