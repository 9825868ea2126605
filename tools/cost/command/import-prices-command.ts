/**
 * `npm run cost -- import-prices` without its process: reads saved answers, writes the sheet, and returns the text to print.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError } from '../../../cli/process/errors.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import { toError } from '../../../shared/errors.ts';
import { type ImportedPrices, importPrices, regionsOf } from '../retail/import-prices.ts';
import { type RetailAnswer, toRetailAnswer } from '../retail/retail-answer.ts';

const HELP = [
  'Usage: npm run cost -- import-prices <answer.json>... [options]',
  '',
  'Creates a price sheet from saved answers of the Azure Retail Prices API. docs/cost.md shows the commands that save them.',
  '  --region REGION   the armRegionName to use (default: that of the answers, if they have only one)',
  '  --base SHEET      source of the prices that the answers do not contain: 2013, 2026 or a JSON file (default 2026)',
  '  --date DATE       when the answers were saved (default today)',
  '  --out FILE        the sheet to write (default prices-REGION.json)',
  '  --help            print this help',
].join('\n');

const TEXT = { type: 'string' } as const;

function parse(args: string[]) {
  const options = {
    region: TEXT,
    base: TEXT,
    date: TEXT,
    out: TEXT,
    help: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error: unknown) {
    throw new UsageError(toError(error).message, { cause: error });
  }
}

function readAnswer(path: string): RetailAnswer {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error: unknown) {
    throw new UsageError(`${path} is not a readable JSON file: ${toError(error).message}`, { cause: error });
  }
  return toRetailAnswer(content, path);
}

function onlyRegion(answers: readonly RetailAnswer[]): string {
  const regions = regionsOf(answers);
  const [region] = regions;
  if (region === undefined || regions.length > 1)
    throw new UsageError(`--region: expected one of ${regions.toSorted().join(', ') || 'a region of Azure'}`);
  return region;
}

function toText({ sheet, found, notFound, ambiguous, nextPages }: ImportedPrices, path: string): string {
  const dropped = new Set(ambiguous.map(({ priceClass }) => priceClass));
  const missing = notFound.filter((priceClass) => !dropped.has(priceClass));
  const price = (priceClass: (typeof notFound)[number]) => {
    const { value, unit } = sheet.prices[priceClass];
    return value === null ? 'no price' : `${value} ${unit}`;
  };
  return [
    `${path}: ${found.length} prices from the answers, in ${sheet.currency}. To use the sheet: npm run cost -- --prices ${path}`,
    ...found.map((priceClass) => `  ${priceClass}: ${price(priceClass)}`),
    ...(ambiguous.length > 0 ? ['Ambiguous, not used:'] : []),
    ...ambiguous.map(({ priceClass, reason }) => `  ${priceClass}: ${reason}; in the sheet: ${price(priceClass)}`),
    ...(missing.length > 0 ? ['Not in the answers; from the base sheet, if it has the same currency:'] : []),
    ...missing.map((priceClass) => `  ${priceClass}: ${price(priceClass)}`),
    ...(nextPages.length > 0 ? ['The answers have further pages; save these as well, and give all files:'] : []),
    ...nextPages.map((page) => `  ${page}`),
  ].join('\n');
}

/**
 * Writes the sheet and returns what to print.
 * @param today The date of the prices unless `--date` is given.
 * @throws UsageError, RetailPricesError or PriceSheetError.
 */
export function runImportPrices(args: string[], today: string): string {
  const { values, positionals } = parse(args);
  if (values.help) return HELP;
  if (positionals.length === 0) throw new UsageError('Expected at least one saved answer.');
  const answers = positionals.map(readAnswer);
  const region = values.region ?? onlyRegion(answers);
  const date = values.date ?? today;
  const base = readPriceSheet(values.base ?? '2026');
  const imported = importPrices(answers, { name: `${region} ${date}`, region, date, base });
  const path = values.out ?? `prices-${region}.json`;
  writeFileSync(path, `${JSON.stringify(imported.sheet, null, 2)}\n`);
  return toText(imported, path);
}
