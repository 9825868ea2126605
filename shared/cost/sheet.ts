/** Price sheets: prices as data, each with its source, so that a new price is a change of a JSON file, not of code. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import sheet2013 from './sheets/2013.json' with { type: 'json' };
import sheet2026 from './sheets/2026.json' with { type: 'json' };

export const PRICE_CLASSES = [
  'queue.class1',
  'queue.class2',
  'blob.write',
  'blob.read',
  'blob.list',
  'blob.other',
  'blob.delete',
  'table.operation',
  'storage.gbMonth',
  'servicebus.operation',
  'servicebus.base',
  'servicebus.included',
  'servicebus.premium',
  'functions.execution',
  'functions.includedExecutions',
  'functions.gbSecond',
  'functions.includedGbSeconds',
  'functions.alwaysReadyGbSecond',
  'durable.action',
  'alert.log',
  'alert.metric',
  'alert.includedMetrics',
  'log.gb',
  'log.includedGb',
  'network.privateEndpoint',
  'network.privateDnsZone',
] as const;
export type PriceClass = (typeof PRICE_CLASSES)[number];

const HOURS_PER_MONTH = 730;

/**
 * The units that a sheet may use, and the number of things that one value covers. Prices per hour are converted to
 * months.
 */
const UNITS = {
  'per 10,000 operations': 10_000,
  'per million operations': 1_000_000,
  'per million executions': 1_000_000,
  'per action': 1,
  'per GB-second': 1,
  'per GB': 1,
  'per GB-month': 1,
  'per hour': 1 / HOURS_PER_MONTH,
  'per month': 1,
  'operations included per month': 1,
  'executions included per month': 1,
  'GB-seconds included per month': 1,
  'GB included per month': 1,
  'time series included per month': 1,
} as const;
export type PriceUnit = keyof typeof UNITS;

const UNIT_NAMES = Object.keys(UNITS) as [PriceUnit, ...PriceUnit[]];

const priceSchema = z.strictObject({
  value: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      'In the currency of the sheet, or a number of included things. null means no price: such lines are in no sum.',
    ),
  unit: z.enum(UNIT_NAMES, { error: `Expected one of: ${UNIT_NAMES.join('; ')}` }),
  source: z.string().min(1).describe('Origin of the value: a page, a file or an API, with the region.'),
  date: z
    .string()
    .regex(/^\d{4}(-\d{2}){0,2}$/, 'Expected a date such as 2026, 2026-09 or 2026-09-24')
    .describe('Date of the source: 2026, 2026-09 or 2026-09-24.'),
  verified: z
    .boolean()
    .describe('Whether the source is a primary one that was read. Figures based on other prices are marked.'),
  note: z.string().optional(),
});
export type Price = z.infer<typeof priceSchema>;

const sheetSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1),
  title: z.string(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'Expected a currency code such as USD or EUR')
    .describe('ISO 4217, such as USD.'),
  // Not a record: the JSON Schema of a record does not require every class.
  prices: z.strictObject(
    Object.fromEntries(PRICE_CLASSES.map((priceClass) => [priceClass, priceSchema])) as Record<
      PriceClass,
      typeof priceSchema
    >,
  ),
});
/** A complete, checked price sheet. */
export type PriceSheet = z.infer<typeof sheetSchema>;

/** Returns the JSON Schema of a price sheet, which `shared/cost/sheets/schema.json` publishes. */
export const priceSheetJsonSchema = (): unknown => ({
  title: 'A price sheet of Sluice',
  ...z.toJSONSchema(sheetSchema, { io: 'input', reused: 'ref' }),
});

const BUILT_IN: Readonly<Record<string, unknown>> = { '2013': sheet2013, '2026': sheet2026 };

/** A price sheet is invalid; the message names it and lists every problem. */
export class PriceSheetError extends Error {
  override name = 'PriceSheetError';
}

/**
 * Checks the content of a price sheet; `where` identifies it in errors.
 * @throws PriceSheetError with all problems
 */
export function toPriceSheet(content: unknown, where: string): PriceSheet {
  const parsed = sheetSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join(' > ') || '(top)'}: ${issue.message}`);
  throw new PriceSheetError(`Price sheet ${where} is not valid:\n${problems.join('\n')}`, { cause: parsed.error });
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error: unknown) {
    const names = Object.keys(BUILT_IN).join(', ');
    const message = `Price sheet ${path} is neither a built-in one (${names}) nor a readable JSON file: ${String(error)}`;
    throw new PriceSheetError(message, { cause: error });
  }
}

/**
 * Reads the built-in sheet of a name (`2013`, `2026`), or the sheet in a JSON file: the setting SLUICE_PRICE_SHEET.
 * @throws PriceSheetError
 */
export const readPriceSheet = (nameOrPath: string): PriceSheet =>
  toPriceSheet(Object.hasOwn(BUILT_IN, nameOrPath) ? BUILT_IN[nameOrPath] : readJson(nameOrPath), nameOrPath);

/**
 * Returns the price of one operation, action, execution, GB-second, GB or month in the currency of the sheet; for
 * classes of included things, their number. null means that the sheet has no price.
 */
export function unitPrice(sheet: PriceSheet, priceClass: PriceClass): number | null {
  const { value, unit } = sheet.prices[priceClass];
  return value === null ? null : value / UNITS[unit];
}

/** Returns the value that a sheet contains in `unit` for the price of one thing: the inverse of `unitPrice`. */
export const valueIn = (unit: PriceUnit, price: number): number => price * UNITS[unit];

/** Returns the classes whose price has no verified source, without duplicates, in the order of PRICE_CLASSES. */
export const unverifiedOf = (sheet: PriceSheet, classes: Iterable<PriceClass>): PriceClass[] => {
  const used = new Set(classes);
  return PRICE_CLASSES.filter((priceClass) => used.has(priceClass) && !sheet.prices[priceClass].verified);
};
