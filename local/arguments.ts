import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PortInUseError, type StackOptions } from 'functions-local';
import type { TableFlags } from '../cli/upload/csv-flags.ts';
import { conversionOf, kindOfFile } from '../cli/upload/kind.ts';
import { readCsvOptions } from '../shared/intake/parse/csv-options.ts';

/** The parsed command line. */
export interface StartOptions {
  /** An absolute path. If undefined, a file is generated. */
  file: string | undefined;
  items: number;
  seed: number;
  /** If undefined, the first workload of the app. */
  workload: string | undefined;
  /** Format of a CSV file, as far as the user specifies it. */
  csv: TableFlags;
  instances: number;
  /** If undefined, the port of the last start, or on the first start the usual one. */
  port: number | undefined;
  once: boolean;
  /** Whether to process FILE even if the same content was submitted before. */
  again: boolean;
  /** SQL filters of the user's own subscriptions, by name. */
  subscriptions: Readonly<Record<string, string>>;
  keep: boolean;
  help: boolean;
}

/** What an app can generate: the default number of items by workload, and the workload that is used by default. */
export interface Generated {
  items: Readonly<Record<string, string>>;
  workload: string;
}
const OPTIONS = {
  items: { type: 'string' },
  seed: { type: 'string', default: '1' },
  workload: { type: 'string' },
  instances: { type: 'string', default: '1' },
  port: { type: 'string' },
  delimiter: { type: 'string' },
  decimal: { type: 'string' },
  charset: { type: 'string' },
  sheet: { type: 'string' },
  rename: { type: 'string', multiple: true },
  subscription: { type: 'string', multiple: true },
  keep: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
const MAX_ITEMS = 10_000_000;
const MAX_INSTANCES = 16;
const MAX_PORT = 65_535;
const MAX_SEED = 2 ** 32 - 1;

/** The port that Core Tools uses. If it is not free, the stack chooses another one. */
const USUAL_PORT = 7071;

/** Returns the stack's options for the port of the app. */
export const portOf = ({ port }: Pick<StartOptions, 'port'>): Pick<StackOptions, 'port' | 'preferredPort'> =>
  port === undefined ? { preferredPort: USUAL_PORT } : { port };

/** Adds to the error of a start what the user can do about it. */
export const explainStart = (error: unknown): unknown =>
  error instanceof PortInUseError
    ? new Error(`${error.message}. Choose another one: --port N`, { cause: error })
    : error;

/**
 * Reads the command line of a start. A relative FILE is relative to `folder`. Without `generated`, nothing is processed if
 * FILE is absent.
 * @throws Error that describes the invalid argument
 */
export function readArguments(args: string[], folder: string, generated?: Generated): StartOptions {
  const flag = { type: 'boolean', default: false } as const;
  const options = { ...OPTIONS, once: flag, again: flag };
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const { once, again } = values;
  return { ...toOptions(values, positionals, folder, generated), once, again };
}

/** Reads the command line of the development loop, like `readArguments`. */
export function readDevArguments(args: string[], folder: string, generated?: Generated): StartOptions {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  return { ...toOptions(values, positionals, folder, generated), once: false, again: true };
}

interface Values {
  items?: string;
  seed: string;
  workload?: string;
  instances: string;
  port?: string;
  delimiter?: string;
  decimal?: string;
  charset?: string;
  sheet?: string;
  rename?: string[];
  subscription?: string[];
  keep: boolean;
  help: boolean;
}

function toOptions(
  values: Values,
  positionals: string[],
  folder: string,
  generated: Generated | undefined,
): Omit<StartOptions, 'once' | 'again'> {
  const [file, ...more] = positionals;
  if (more.length > 0) throw new Error(`Expected one FILE, got ${positionals.length}: ${positionals.join(' ')}`);
  if (file !== undefined && conversionOf(file) === undefined) kindOfFile(file);
  const workload = values.workload ?? generated?.workload;
  const usual =
    generated && Object.hasOwn(generated.items, workload ?? '') ? generated.items[workload ?? ''] : undefined;
  if (generated && file === undefined && usual === undefined && !values.help)
    throw new Error(`--workload ${workload}: expected a FILE, because this workload has no generator`);
  return {
    workload,
    keep: values.keep,
    help: values.help,
    csv: tableFlagsOf(values),
    subscriptions: subscriptionsOf(values),
    file: file === undefined ? undefined : resolve(folder, file),
    items: readWhole('--items', values.items ?? usual ?? '1', MAX_ITEMS),
    port: values.port === undefined ? undefined : readWhole('--port', values.port, MAX_PORT),
    instances: readWhole('--instances', values.instances, MAX_INSTANCES),
    seed: readWhole('--seed', values.seed, MAX_SEED),
  };
}

function tableFlagsOf({ delimiter, decimal, charset, rename = [], sheet }: Values): TableFlags {
  const given = Object.entries({ delimiter, decimal, charset }).filter(([, value]) => value !== undefined);
  const entries = [...given, ...rename.map((each) => ['rename', each])] as [string, string][];
  return { ...readCsvOptions(new URLSearchParams(entries)), ...(sheet === undefined ? {} : { sheet }) };
}

function subscriptionsOf({ subscription: texts = [] }: Values): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, filter] = /^([a-z0-9][\w.-]{0,49})=(.*\S.*)$/i.exec(text) ?? [];
      if (name === undefined || filter === undefined)
        throw new Error(`--subscription: expected NAME=FILTER such as "mine=type = 'BatchCompleted'", got "${text}"`);
      if (/^(wake|wake-.*|completions)$/i.test(name)) throw new Error(`--subscription: ${name} already exists`);
      return [name, filter];
    }),
  );
}

function readWhole(name: string, text: string, most: number): number {
  const least = name === '--seed' ? 0 : 1;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`${name}: expected a whole number from ${least} to ${most}, got "${text}"`);
}
