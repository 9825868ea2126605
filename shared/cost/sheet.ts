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
  'servicebus.operation',
  'servicebus.base',
  'servicebus.included',
  'functions.execution',
  'functions.gbSecond',
  'durable.action',
] as const;
export type PriceClass = (typeof PRICE_CLASSES)[number];

/** The units a sheet may use, and how many things one value is for. */
const UNITS = {
  'per 10,000 operations': 10_000,
  'per million operations': 1_000_000,
  'per million executions': 1_000_000,
  'per action': 1,
  'per GB-second': 1,
  'per month': 1,
  'operations included a month': 1,
} as const;

const isUnit = (unit: string): unit is keyof typeof UNITS => Object.hasOwn(UNITS, unit);

const priceSchema = z.strictObject({
  /** null: not sold at the date of the sheet. */
  value: z.number().nonnegative().nullable(),
  unit: z.custom<keyof typeof UNITS>((unit) => typeof unit === 'string' && isUnit(unit), {
    error: `Expected one of: ${Object.keys(UNITS).join('; ')}`,
  }),
  source: z.string().min(1),
  date: z.string().regex(/^\d{4}(-\d{2}){0,2}$/, 'Expected a date such as 2026, 2026-09 or 2026-09-24'),
  /** Whether the source is a primary one, read by us. */
  verified: z.boolean(),
  note: z.string().optional(),
});
export type Price = z.infer<typeof priceSchema>;

const sheetSchema = z.strictObject({
  name: z.string().min(1),
  title: z.string(),
  currency: z.literal('USD'),
  prices: z.record(z.enum(PRICE_CLASSES), priceSchema),
});
/** A complete, checked price sheet. */
export type PriceSheet = z.infer<typeof sheetSchema>;

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

/** USD for one operation, action, GB-second or month; for `servicebus.included` their number. null: the sheet has no price. */
export function unitPrice(sheet: PriceSheet, priceClass: PriceClass): number | null {
  const { value, unit } = sheet.prices[priceClass];
  return value === null ? null : value / UNITS[unit];
}
