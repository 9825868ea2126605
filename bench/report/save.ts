import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../demo/root.ts';
import { drawChart } from './chart.ts';
import type { Results } from './results.ts';

/** Saves the results for the README and docs/performance.md; those of handlers that wait are in a separate file. */
export async function saveResults({ waiting, http, ...results }: Results): Promise<void> {
  const { throughput, small, wake, memory, start, ...run } = results;
  if (waiting) await writeJson('waiting', { ...run, waiting, http });
  if (throughput ?? small ?? wake ?? memory ?? start) await writeJson('latest', results);
  if (throughput) await writeInto('docs/images', 'bench.svg', drawChart(results, throughput));
}

const writeJson = (name: string, content: object): Promise<void> =>
  writeInto('bench/results', `${name}.json`, `${JSON.stringify(content, null, 2)}\n`);

async function writeInto(folder: string, name: string, text: string): Promise<void> {
  await mkdir(join(ROOT, folder), { recursive: true });
  await writeFile(join(ROOT, folder, name), text);
}
