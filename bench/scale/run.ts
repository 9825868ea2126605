/**
 * `npm run bench -- --scale`: instances compared with the ideal, the part of one instance, and the results of the
 * model.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { buildAppCopy } from '../../tests/helpers/app-copy.ts';
import type { BenchOptions } from '../arguments.ts';
import { describeRun } from '../report/describe-run.ts';
import { type InstancesRun, measureInstances } from './instances.ts';
import { modelTables } from './model-tables.ts';
import type { ScaleResults } from './results.ts';
import { runsTable, serialTable } from './run-tables.ts';
import { measureSerial } from './serial.ts';

const INSTANCES = [1, 2, 4, 8];
const ROOT = new URL('../../', import.meta.url);
/** The last saved results. */
export const RESULTS_FILE = new URL('bench/results/scale.json', ROOT);
const DOCS_FILE = new URL('docs/performance.md', ROOT);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs all measurements; a run of one number of instances takes about `waitingSeconds`, plus a warm-up. */
export async function runScale({ items, waitingSeconds: seconds, save }: BenchOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-scale-'));
  try {
    const [project, registry] = ['bench/scale/tsconfig.json', 'bench/scale/app/registry.ts'];
    const place = { folder, appFolder: await buildAppCopy({ name: 'scale-app', project, registry }) };
    print('the part of one instance …');
    const serial = await measureSerial(place, items);
    const runs: InstancesRun[] = [];
    for (const instances of INSTANCES) {
      print(`${instances} instances …`);
      runs.push(await measureInstances(place, { instances, seconds }));
    }
    const results: ScaleResults = { ...describeRun(), runs, serial };
    for (const line of ['', ...runsTable(results), '', ...serialTable(serial), '', ...modelTables(results)])
      print(line);
    if (save) await saveScale(results);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function saveScale(results: ScaleResults): Promise<void> {
  await writeFile(RESULTS_FILE, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(DOCS_FILE, withModel(await readFile(DOCS_FILE, 'utf8'), results));
}

const BEGIN = '<!-- computed by npm run bench -- --scale -->';
const END = '<!-- end of what is computed -->';

/** Returns the page with the tables of these results between its marks. Throws if a mark is missing. */
export function withModel(page: string, results: ScaleResults): string {
  const [before, rest] = page.split(`${BEGIN}\n`);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`Expected ${BEGIN} and ${END} in the page.`);
  return [`${before}${BEGIN}`, '', ...modelTables(results), '', `${END}${after}`].join('\n');
}
