/** The cost command without its process: arguments in, text out. */
import { parseArgs } from 'node:util';
import { DURABLE_BACKENDS, type DurableBackend } from '../../shared/cost/counts.ts';
import { breakEven } from '../../shared/cost/model/break-even.ts';
import { modelMonth } from '../../shared/cost/model/model.ts';
import { DEFAULT_PARAMETERS, type MonthParameters } from '../../shared/cost/model/month-parameters.ts';
import { openTab } from '../../shared/cost/model/open-tab.ts';
import { readPriceSheet } from '../../shared/cost/sheet.ts';
import { toError } from '../../shared/errors.ts';
import { toText } from './cost-table.ts';

type NumberKey = Exclude<keyof MonthParameters, 'backend'>;

/** Option, parameter, smallest, largest, meaning. */
const NUMBERS: readonly [string, NumberKey, number, number, string][] = [
  ['queues', 'queues', 1, 1e6, 'queues'],
  ['pollers', 'pollers', 0, 1e6, 'polling threads per queue, in the design with pollers'],
  ['idle-hours', 'idleHours', 0, 24, 'hours a day without work; a fraction is allowed'],
  ['batches', 'batches', 0, 1e6, 'batches a day'],
  ['items', 'items', 0, 1e12, 'items a day, over all batches'],
  ['chunk', 'chunk', 1, 1e6, 'items per chunk'],
  ['partition-count', 'partitionCount', 1, 16, 'control queues of the task hub (azureStorage)'],
  ['sweep-minutes', 'sweepMinutes', 1, 1440, 'minutes between sweeps'],
  ['inbox-minutes', 'inboxMinutes', 0, 1440, 'minutes between looks into the inbox; 0: not watched'],
];

const HELP = [
  'Usage: npm run cost -- [options]',
  '',
  ...NUMBERS.map(
    ([option, key, , , meaning]) => `  --${option.padEnd(16)} ${meaning} (default ${DEFAULT_PARAMETERS[key]})`,
  ),
  `  --${'backend'.padEnd(16)} durable backend: ${DURABLE_BACKENDS.join(' or ')} (default ${DEFAULT_PARAMETERS.backend})`,
  `  --${'sheet'.padEnd(16)} price sheet: 2013, 2026 or a JSON file (default: the setting SLUICE_PRICE_SHEET, else 2026)`,
  `  --${'json'.padEnd(16)} print JSON`,
  `  --${'help'.padEnd(16)} print this`,
].join('\n');

/** The command line cannot be understood; the message holds every problem. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean', default: false } as const;

function parse(args: string[]) {
  const numbers = Object.fromEntries(NUMBERS.map(([option]) => [option, TEXT]));
  try {
    return parseArgs({ args, options: { ...numbers, backend: TEXT, sheet: TEXT, json: FLAG, help: FLAG } }).values;
  } catch (error: unknown) {
    throw new UsageError(toError(error).message, { cause: error });
  }
}

const isBackend = (text: string): text is DurableBackend => DURABLE_BACKENDS.some((backend) => backend === text);

/** Reads the parameters from parsed options. Throws UsageError with all problems at once. */
function readParameters(values: Record<string, string | boolean | undefined>): MonthParameters {
  const parameters = { ...DEFAULT_PARAMETERS };
  const problems: string[] = [];
  for (const [option, key, min, max] of NUMBERS) {
    const text = values[option];
    if (text === undefined) continue;
    const n = text === '' ? Number.NaN : Number(text);
    const isFit = n >= min && n <= max && (key === 'idleHours' || Number.isInteger(n));
    if (isFit) parameters[key] = n;
    else
      problems.push(
        `--${option}: expected a ${key === 'idleHours' ? '' : 'whole '}number from ${min} to ${max}, got "${text}"`,
      );
  }
  const { backend } = values;
  if (typeof backend === 'string') {
    if (isBackend(backend)) parameters.backend = backend;
    else problems.push(`--backend: expected ${DURABLE_BACKENDS.join(' or ')}, got "${backend}"`);
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return parameters;
}

/** What the command prints. Throws UsageError or PriceSheetError. */
export function runCost(args: string[], defaultSheet: string): string {
  const values = parse(args);
  if (values.help) return HELP;
  const parameters = readParameters(values);
  const sheet = readPriceSheet(values.sheet ?? defaultSheet);
  const answer = {
    parameters,
    sheet,
    month: modelMonth(parameters, sheet),
    breakEven: breakEven(parameters, sheet),
    openTab: openTab(parameters, sheet),
  };
  return values.json ? JSON.stringify({ ...answer, sheet: sheet.name }, null, 2) : toText(answer);
}
