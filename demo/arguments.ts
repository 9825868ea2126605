import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** How the command is called. */
export const USAGE = `Usage: npm start [-- [FILE] [options]]
  FILE            your own upload: .ndjson, .jsonl, .json (array) or .csv, each also as .gz, .br or .zst
  --items N       transactions to generate when there is no FILE; default 200000
  --seed S        seed of the generator; default 1
  --workload W    default billing; its totals are checked, those of another workload are only shown
  --once          end after the report, instead of staying up
  --keep          go on with the data of the last start, instead of a fresh one
  --help`;

/** What the user asked for. */
export interface DemoOptions {
  /** Absolute; undefined: generate one. */
  file: string | undefined;
  items: number;
  seed: number;
  workload: string;
  once: boolean;
  keep: boolean;
  help: boolean;
}

const MAX_ITEMS = 10_000_000;
const MAX_SEED = 2 ** 32 - 1;
const FILE_NAME = /\.(ndjson|jsonl|json|csv)(\.(gz|br|zst))?$/i;

/** Reads the command line. `folder` is what a relative FILE is relative to. Throws an Error that says what is wrong. */
export function readArguments(args: string[], folder: string): DemoOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      items: { type: 'string', default: '200000' },
      seed: { type: 'string', default: '1' },
      workload: { type: 'string', default: 'billing' },
      once: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [file, ...more] = positionals;
  if (more.length > 0) throw new Error(`Expected one FILE, got ${positionals.length}: ${positionals.join(' ')}`);
  if (file !== undefined && !FILE_NAME.test(file))
    throw new Error(`FILE: expected a name such as usage.ndjson or usage.csv.gz, got ${file}`);
  if (file === undefined && values.workload !== 'billing' && !values.help) {
    throw new Error(`--workload ${values.workload}: expected a FILE as well, as only billing has a generator`);
  }
  return {
    ...values,
    file: file === undefined ? undefined : resolve(folder, file),
    items: readWhole('--items', values.items, MAX_ITEMS),
    seed: readWhole('--seed', values.seed, MAX_SEED),
  };
}

function readWhole(name: string, text: string, most: number): number {
  const least = name === '--items' ? 1 : 0;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`${name}: expected a whole number from ${least} to ${most}, got "${text}"`);
}
