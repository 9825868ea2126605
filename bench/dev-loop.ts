/**
 * `npm run bench -- --dev`: the time that `npm run dev` takes from an edit of a workload to the new result of a small
 * file.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyRepository, runCommand } from '../tests/helpers/repository-copy.ts';

const EDITS = 10;
const ITEMS = 1_000;
/** A person reads the result before the next edit. */
const PAUSE_MS = 2_000;

/** A comment is a sufficient edit: a run begins after the reload, so an old result cannot be mistaken for a new one. */
const edited = (source: string, edit: number): string => source.replace("name: 'billing',", `$&\n  // edit ${edit}`);

/**
 * Edits a workload in a copy of the repository, and prints the time to the reload and to the result after each edit.
 */
export async function runDevLoop(): Promise<void> {
  const folder = await copyRepository('bench-dev');
  const file = join(folder, 'workloads/billing.ts');
  const source = await readFile(file, 'utf8');
  const command = runCommand(folder, ['--conditions=source', 'demo/dev.ts', '--items', String(ITEMS)]);
  const times: { reloadMs: number; resultMs: number; load: number }[] = [];
  try {
    await command.until('Keys:');
    command.send('a');
    await command.until('Runs the file after each edit');
    // The first round fills the cache of compiled code for both copies of the app.
    for (let edit = -1; edit <= EDITS; edit += 1) {
      await sleep(PAUSE_MS);
      const [load = 0] = loadavg();
      const startedAt = performance.now();
      await writeFile(file, edited(source, edit));
      await command.until('Reloaded in');
      const reloadMs = performance.now() - startedAt;
      await command.until('Done in');
      if (edit > 0) times.push({ reloadMs, resultMs: performance.now() - startedAt, load });
    }
  } finally {
    await command.interrupt();
  }
  report(times);
}

function report(times: readonly { reloadMs: number; resultMs: number; load: number }[]): void {
  const line = (name: string, values: number[]): string => {
    const sorted = values.toSorted((a, b) => a - b);
    const [least, median, most] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
    return `${name}: median ${seconds(median)}, least ${seconds(least)}, most ${seconds(most)}`;
  };
  const loads = times.map(({ load }) => load.toFixed(1)).join(', ');
  console.log(
    `${times.length} edits, file of ${ITEMS} items, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`,
  );
  console.log(
    line(
      'Edit to reloaded',
      times.map(({ reloadMs }) => reloadMs),
    ),
  );
  console.log(
    line(
      'Edit to report  ',
      times.map(({ resultMs }) => resultMs),
    ),
  );
  console.log(`Load of the machine at each edit: ${loads}`);
}

const seconds = (ms = Number.NaN): string => `${(ms / 1_000).toFixed(2)} s`;
