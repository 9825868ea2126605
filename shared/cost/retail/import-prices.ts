/**
 * Makes a price sheet of saved answers of the Azure Retail Prices API
 * (learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices). No network: the answers are files.
 */
import { z } from 'zod';
import { PRICE_CLASSES, type Price, type PriceClass, type PriceSheet, unitPrice, valueIn } from '../sheet.ts';
import { METERS, type Meter } from './meters.ts';

const itemSchema = z.object({
  currencyCode: z.string().optional(),
  /** Units from which on the price holds; missing: from the first on. */
  tierMinimumUnits: z.number().nonnegative().default(0),
  retailPrice: z.number().nonnegative(),
  armRegionName: z.string(),
  meterName: z.string(),
  productName: z.string(),
  skuName: z.string(),
  serviceName: z.string(),
  unitOfMeasure: z.string(),
  type: z.string(),
  effectiveStartDate: z.string().optional(),
});
type Item = z.infer<typeof itemSchema>;

const answerSchema = z.object({
  BillingCurrency: z.string(),
  Items: z.array(itemSchema),
  NextPageLink: z.string().nullish(),
});
/** A saved answer: one page. */
export type RetailAnswer = z.infer<typeof answerSchema>;

/** What was saved is no answer of the API, or answers do not fit together; the message says which. */
export class RetailPricesError extends Error {
  override name = 'RetailPricesError';
}

/** Checks a saved answer; `where` names it in errors. Throws RetailPricesError. */
export function toRetailAnswer(content: unknown, where: string): RetailAnswer {
  const parsed = answerSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join(' > ') || '(top)'}: ${issue.message}`);
  throw new RetailPricesError(
    [`${where} is no saved answer of the Azure Retail Prices API:`, ...problems.slice(0, 5)].join('\n'),
    { cause: parsed.error },
  );
}

/** The options of the import. */
export interface ImportOptions {
  name: string;
  /** The armRegionName to take; meters of the region `Global` count for all. */
  region: string;
  /** When the answers were saved: 2026-11-23. */
  date: string;
  /** The sheet that gives units, and the prices that the answers do not have. */
  base: PriceSheet;
}

/** A sheet, and what became of each class. */
export interface ImportedPrices {
  sheet: PriceSheet;
  found: PriceClass[];
  /** Kept from the base sheet, or without a price where its currency is another one. */
  notFound: PriceClass[];
  /** Not taken, for the reason given. */
  ambiguous: { priceClass: PriceClass; reason: string }[];
  /** Addresses of further pages that the answers name. */
  nextPages: string[];
}

/** Things that one price of the API is for; an hour is a part of Azure's month of 730 hours. */
const MEASURES: Readonly<Record<string, number>> = {
  '1': 1,
  '10': 10,
  '100': 100,
  '1K': 1_000,
  '10K': 10_000,
  '1M': 1_000_000,
  '1 GB': 1,
  '1 GB Second': 1,
  '1 GB/Month': 1,
  '1 Hour': 1 / 730,
  '1/Hour': 1 / 730,
  '1/Month': 1,
};

/** Regions under which the API lists meters that have one price everywhere. */
const EVERYWHERE = ['Global', ''];

const isOf = (meter: Meter, item: Item): boolean =>
  item.type === 'Consumption' &&
  item.serviceName === meter.serviceName &&
  item.productName === meter.productName &&
  item.skuName === meter.skuName &&
  meter.meterNames.includes(item.meterName);

/** The meter's items of the region; of everywhere, if the region has none. */
function itemsOf(meter: Meter, items: readonly Item[], region: string): Item[] {
  const all = items.filter((item) => isOf(meter, item));
  const own = all.filter(({ armRegionName }) => armRegionName === region);
  return own.length > 0 ? own : all.filter(({ armRegionName }) => EVERYWHERE.includes(armRegionName));
}

/** The price of one thing, and how many are free before it; or why there is none. */
type Reading = { price: number; included: number; item: Item } | { reason: string };

function read(items: readonly Item[]): Reading {
  const unknown = items.find(({ unitOfMeasure }) => MEASURES[unitOfMeasure] === undefined);
  if (unknown) return { reason: `unit of measure "${unknown.unitOfMeasure}" is unknown` };
  const priced = items.filter(({ retailPrice }) => retailPrice > 0);
  const candidates = priced.length > 0 ? priced : items;
  const tier = Math.min(...candidates.map(({ tierMinimumUnits }) => tierMinimumUnits));
  const first = candidates.filter(({ tierMinimumUnits }) => tierMinimumUnits === tier);
  const perThing = ({ retailPrice, unitOfMeasure }: Item) => retailPrice / (MEASURES[unitOfMeasure] ?? 1);
  const prices = [...new Set(first.map((item) => Number(perThing(item).toPrecision(9))))];
  const [item] = first;
  const [price] = prices;
  if (item === undefined || price === undefined) return { reason: 'no item' };
  if (prices.length > 1)
    return { reason: first.map((one) => `${one.meterName} ${one.retailPrice} per ${one.unitOfMeasure}`).join(', ') };
  return { price, included: tier * (MEASURES[item.unitOfMeasure] ?? 1), item };
}

/** Removes the noise of floating point arithmetic. */
const clean = (value: number): number => Number(value.toPrecision(9));

const SOURCE = 'Azure Retail Prices API';

/** Makes a sheet of the answers. Throws RetailPricesError when they are in more than one currency. */
export function importPrices(answers: readonly RetailAnswer[], options: ImportOptions): ImportedPrices {
  const { name, region, date, base } = options;
  const currency = onlyCurrency(answers);
  const items = answers.flatMap(({ Items }) => Items);
  const prices = new Map<PriceClass, Price>();
  const ambiguous: ImportedPrices['ambiguous'] = [];
  for (const meter of METERS) {
    const matching = itemsOf(meter, items, region);
    if (matching.length === 0) continue;
    const reading = read(matching);
    if ('reason' in reading) {
      ambiguous.push({ priceClass: meter.priceClass, reason: reading.reason });
      continue;
    }
    const { item, price, included } = reading;
    const source = `${SOURCE} (${item.armRegionName || 'all regions'}), ${item.serviceName}, ${item.productName}, meter "${item.meterName}"`;
    const note =
      item.effectiveStartDate === undefined ? {} : { note: `In effect since ${item.effectiveStartDate.slice(0, 10)}.` };
    const add = (priceClass: PriceClass, things: number) => {
      const { unit } = base.prices[priceClass];
      prices.set(priceClass, { value: clean(valueIn(unit, things)), unit, source, date, verified: true, ...note });
    };
    add(meter.priceClass, price);
    if (meter.includedClass) add(meter.includedClass, included);
  }
  const notFound = PRICE_CLASSES.filter((priceClass) => !prices.has(priceClass));
  for (const priceClass of notFound) prices.set(priceClass, keptFrom(base, priceClass, currency));
  return {
    sheet: {
      name,
      title: `List prices of ${region}, ${SOURCE}, ${date}`,
      currency,
      prices: Object.fromEntries(
        PRICE_CLASSES.map((priceClass) => [priceClass, prices.get(priceClass)]),
      ) as PriceSheet['prices'],
    },
    found: PRICE_CLASSES.filter((priceClass) => !notFound.includes(priceClass)),
    notFound,
    ambiguous,
    nextPages: answers.flatMap(({ NextPageLink }) => (NextPageLink ? [NextPageLink] : [])),
  };
}

/** Counts of included things and what is free are the same in every currency; other prices are not. */
function keptFrom(base: PriceSheet, priceClass: PriceClass, currency: string): Price {
  const kept = base.prices[priceClass];
  const isAmount = !kept.unit.includes('included') && unitPrice(base, priceClass) !== 0;
  if (!isAmount || currency === base.currency) return kept;
  return {
    value: null,
    unit: kept.unit,
    source: `not in the saved answers, and ${base.name} is in ${base.currency}`,
    date: kept.date,
    verified: false,
  };
}

function onlyCurrency(answers: readonly RetailAnswer[]): string {
  const currencies = [...new Set(answers.map(({ BillingCurrency }) => BillingCurrency))];
  const [currency] = currencies;
  if (currency === undefined || currencies.length > 1)
    throw new RetailPricesError(`Expected answers in one currency, got ${currencies.join(' and ') || 'no answer'}.`);
  return currency;
}

/** The regions of the answers, without the meters that have one price everywhere. */
export const regionsOf = (answers: readonly RetailAnswer[]): string[] =>
  [...new Set(answers.flatMap(({ Items }) => Items.map(({ armRegionName }) => armRegionName)))].filter(
    (region) => !EVERYWHERE.includes(region),
  );
