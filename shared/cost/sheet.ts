/** Price sheets: prices as data, each with its source, so that a new price is an edit of a JSON file and no code. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import sheet2013 from './sheets/2013.json' with { type: 'json' };
import sheet2026 from './sheets/2026.json' with { type: 'json' };

/** What a sheet must price. */
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

/** Hours that Azure's price pages count in a month. */
const HOURS_PER_MONTH = 730;

/** The units a sheet may use, and how many things one value is for. What is sold by the hour is reckoned by the month. */
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
      'In the currency of the sheet, or a number of included things; null: no price. Such lines are in no sum.',
    ),
  unit: z.enum(UNIT_NAMES, { error: `Expected one of: ${UNIT_NAMES.join('; ')}` }),
  source: z.string().min(1).describe('Where the value was read: a page, a file or an API, with the region.'),
  date: z
    .string()
    .regex(/^\d{4}(-\d{2}){0,2}$/, 'Expected a date such as 2026, 2026-09 or 2026-09-24')
    .describe('Of the source: 2026, 2026-09 or 2026-09-24.'),
  verified: z
    .boolean()
    .describe('Whether the source is a primary one that was read. Figures that stand on other prices are marked.'),
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
  // Not a record: the JSON Schema of a record does not say that every class is required.
  prices: z.strictObject(
    Object.fromEntries(PRICE_CLASSES.map((priceClass) => [priceClass, priceSchema])) as Record<
      PriceClass,
      typeof priceSchema
    >,
  ),
});
/** A complete, checked price sheet. */
export type PriceSheet = z.infer<typeof sheetSchema>;

/** The JSON Schema of a price sheet, as `shared/cost/sheets/schema.json` publishes it. */
export const priceSheetJsonSchema = (): unknown => ({
  title: 'A price sheet of Sluice',
  ...z.toJSONSchema(sheetSchema, { io: 'input', reused: 'ref' }),
});

const BUILT_IN: Readonly<Record<string, unknown>> = { '2013': sheet2013, '2026': sheet2026 };

/** A price sheet cannot be used: which one, and every problem in it. */
export class PriceSheetError extends Error {
  override name = 'PriceSheetError';
}

/** Checks what is to be a price sheet; `where` names it in errors. Throws PriceSheetError with all problems at once. */
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

/** The sheet of that name (`2013`, `2026`), or of that JSON file: the setting SLUICE_PRICE_SHEET. Throws PriceSheetError. */
export const readPriceSheet = (nameOrPath: string): PriceSheet =>
  toPriceSheet(Object.hasOwn(BUILT_IN, nameOrPath) ? BUILT_IN[nameOrPath] : readJson(nameOrPath), nameOrPath);

/**
 * What one operation, action, execution, GB-second, GB or month costs, in the currency of the sheet; for classes of
 * included things their number. null: the sheet has no price.
 */
export function unitPrice(sheet: PriceSheet, priceClass: PriceClass): number | null {
  const { value, unit } = sheet.prices[priceClass];
  return value === null ? null : value / UNITS[unit];
}

/** The value that a sheet states in `unit` for the price of one thing: the reverse of `unitPrice`. */
export const valueIn = (unit: PriceUnit, price: number): number => price * UNITS[unit];

/** Those of the classes whose price has no verified source, once each, in the order of PRICE_CLASSES. */
export const unverifiedOf = (sheet: PriceSheet, classes: Iterable<PriceClass>): PriceClass[] => {
  const used = new Set(classes);
  return PRICE_CLASSES.filter((priceClass) => used.has(priceClass) && !sheet.prices[priceClass].verified);
};
