/** The cost command without its process: accepts arguments and returns the text to print. */
import { parseArgs } from 'node:util';
import { UsageError } from '../../../cli/process/errors.ts';
import { DURABLE_BACKENDS, MEMORY_SIZES } from '../../../shared/cost/deployed.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import { toError } from '../../../shared/errors.ts';
import { backends } from '../model/backends.ts';
import { sumIdleBill } from '../model/bill.ts';
import { breakEven } from '../model/break-even.ts';
import { grouping } from '../model/grouping.ts';
import { modelMonth } from '../model/model.ts';
import { DEFAULT_PARAMETERS, type MonthParameters } from '../model/month-parameters.ts';
import { toText } from './cost-table.ts';

/** Parameters that are numbers without a fixed set of values. */
type NumberKey = Exclude<keyof MonthParameters, 'backend' | 'memoryMb' | 'isPrivate' | 'hasAlerts'>;

/** Option, parameter, minimum, maximum, description. */
const NUMBERS: readonly [string, NumberKey, number, number, string][] = [
  ['pools', 'pools', 1, 100, 'pools, each of which is a function app'],
  ['always-ready', 'alwaysReady', 0, 1e4, 'always-ready instances, in all pools together'],
  ['partition-count', 'partitionCount', 1, 16, 'control queues per task hub (azureStorage)'],
  ['sweep-minutes', 'sweepMinutes', 1, 1440, 'minutes between sweeps'],
  ['inbox-minutes', 'inboxMinutes', 0, 1440, 'minutes between polls of the inbox; 0: no inbox'],
  ['queues', 'queues', 1, 1e6, 'queues'],
  ['pollers', 'pollers', 0, 1e6, 'polling threads per queue, in the design with polling workers'],
  ['idle-hours', 'idleHours', 0, 24, 'hours per day without work; a fraction is allowed'],
  ['batches', 'batches', 0, 1e6, 'batches per day'],
  ['items', 'items', 0, 1e12, 'items per day, in all batches together'],
  ['chunk', 'chunk', 1, 1e6, 'items per chunk'],
  ['seconds-per-chunk', 'secondsPerChunk', 0, 1e5, 'handler time of a full chunk; a fraction is allowed'],
];
const FRACTIONS: ReadonlySet<NumberKey> = new Set(['idleHours', 'secondsPerChunk']);

/** Option, values, description, default. */
const CHOICES = [
  ['backend', DURABLE_BACKENDS, 'Durable Functions backend', DEFAULT_PARAMETERS.backend],
  ['memory', MEMORY_SIZES.map(String), 'memory of an instance in MB', DEFAULT_PARAMETERS.memoryMb],
] as const;

const option = (name: string, meaning: string): string => `  --${name.padEnd(18)} ${meaning}`;

const HELP = [
  'Usage: npm run cost -- [options]',
  '       npm run cost -- import-prices <answer.json>... [options]',
  '',
  ...NUMBERS.map(([name, key, , , meaning]) => option(name, `${meaning} (default ${DEFAULT_PARAMETERS[key]})`)),
  ...CHOICES.map(([name, values, meaning, value]) =>
    option(name, `${meaning}: ${values.join(' or ')} (default ${value})`),
  ),
  option('no-alerts', 'without alert rules'),
  option('private', 'Service Bus Premium, private endpoints and DNS zones'),
  option('prices', 'price sheet: 2013, 2026 or a JSON file (default: the setting SLUICE_PRICE_SHEET, otherwise 2026)'),
  option('json', 'print JSON'),
  option('help', 'print this help'),
].join('\n');

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean', default: false } as const;

function parse(args: string[]) {
  const numbers = Object.fromEntries(NUMBERS.map(([name]) => [name, TEXT]));
  const options = {
    ...numbers,
    backend: TEXT,
    memory: TEXT,
    private: FLAG,
    'no-alerts': FLAG,
    prices: TEXT,
    json: FLAG,
    help: FLAG,
  };
  try {
    return parseArgs({ args, options }).values;
  } catch (error: unknown) {
    throw new UsageError(toError(error).message, { cause: error });
  }
}

type Values = Record<string, string | boolean | undefined>;

/** Returns the value of an option, or undefined if it is absent. Adds an unknown value to `problems`. */
function readChoice<T>(values: Values, name: string, choices: readonly T[], problems: string[]): T | undefined {
  const text = values[name];
  const value = choices.find((choice) => String(choice) === text);
  if (text !== undefined && value === undefined)
    problems.push(`--${name}: expected ${choices.join(' or ')}, got "${text}"`);
  return value;
}

/** Reads the parameters from parsed options. Throws one UsageError with all problems. */
function readParameters(values: Values): MonthParameters {
  const parameters = {
    ...DEFAULT_PARAMETERS,
    isPrivate: values.private === true,
    hasAlerts: values['no-alerts'] !== true,
  };
  const problems: string[] = [];
  for (const [name, key, min, max] of NUMBERS) {
    const text = values[name];
    if (text === undefined) continue;
    const n = text === '' ? Number.NaN : Number(text);
    const isFit = n >= min && n <= max && (FRACTIONS.has(key) || Number.isInteger(n));
    if (isFit) parameters[key] = n;
    else
      problems.push(
        `--${name}: expected a ${FRACTIONS.has(key) ? '' : 'whole '}number from ${min} to ${max}, got "${text}"`,
      );
  }
  parameters.backend = readChoice(values, 'backend', DURABLE_BACKENDS, problems) ?? parameters.backend;
  parameters.memoryMb = readChoice(values, 'memory', MEMORY_SIZES, problems) ?? parameters.memoryMb;
  if (parameters.isPrivate && parameters.backend === 'dts')
    problems.push(
      '--private: expected --backend azureStorage, because infra/ cannot deploy a Durable Task Scheduler into a private network',
    );
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return parameters;
}

/** Returns the text to print. Throws UsageError or PriceSheetError. */
export function runCost(args: string[], defaultSheet: string): string {
  const values = parse(args);
  if (values.help) return HELP;
  const parameters = readParameters(values);
  const sheet = readPriceSheet(values.prices ?? defaultSheet);
  const answer = {
    parameters,
    sheet,
    idle: sumIdleBill(parameters, sheet),
    month: modelMonth(parameters, sheet),
    grouping: grouping(parameters, sheet),
    backends: backends(parameters, sheet),
    breakEven: breakEven(parameters, sheet),
  };
  return values.json
    ? JSON.stringify({ ...answer, sheet: sheet.name, currency: sheet.currency }, null, 2)
    : toText(answer);
}
