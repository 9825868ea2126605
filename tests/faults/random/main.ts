/**
 * `npm run faults -- --runs N --seed S`: N random runs, the first with seed S, and their table. `--minutes M` stops
 * earlier; `--slots K` sets the number of concurrent runs; `--quick` omits faults that take ten minutes to be detected.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runRandom } from './random.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '600' },
    slots: { type: 'string', default: '24' },
    items: { type: 'string', default: '20000' },
    quick: { type: 'boolean', default: false },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'sluice-faults-'));
const started = Date.now();
const score = await runRandom({
  name: `faults/random-${process.pid}`,
  folder,
  runs: Number(values.runs),
  seed: Number(values.seed),
  minutes: Number(values.minutes),
  slots: Number(values.slots),
  items: Number(values.items),
  quick: values.quick,
  onProgress: (line) => console.log(line),
});
console.log(`\nseeds from ${values.seed}, ${((Date.now() - started) / 60_000).toFixed(1)} minutes\n${score.table()}`);
if (score.isClean) await rm(folder, { recursive: true, force: true });
else console.log(`logs and data: ${folder}`);
process.exit(score.isClean ? 0 : 1);
