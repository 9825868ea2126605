import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../demo/stack.ts';
import { drawChart } from './chart.ts';
import type { Results } from './results.ts';

/** Keeps the results for the README and docs/performance.md. */
export async function saveResults(results: Results): Promise<void> {
  const folders = { json: join(ROOT, 'bench/results'), svg: join(ROOT, 'docs/images') };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
  await writeFile(join(folders.json, 'latest.json'), `${JSON.stringify(results, null, 2)}\n`);
  if (results.throughput) await writeFile(join(folders.svg, 'bench.svg'), drawChart(results, results.throughput));
}
