/**
 * Creates a price sheet from saved responses of the Azure Retail Prices API
 * (learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices). The responses are files, so it
 * needs no network.
 */
import {
  PRICE_CLASSES,
  type Price,
  type PriceClass,
  type PriceSheet,
  unitPrice,
  valueIn,
} from '../../../shared/cost/sheet.ts';
import { METERS, type Meter } from './meters.ts';
import { type RetailAnswer, type RetailItem, RetailPricesError } from './retail-answer.ts';

export interface ImportOptions {
  name: string;
  /** The armRegionName to import; meters of the region `Global` apply to all regions. */
  region: string;
  /** When the responses were saved: 2026-11-23. */
  date: string;
  /** The sheet that provides units, and the prices that the responses do not contain. */
  base: PriceSheet;
}

/** A sheet, and the result for each class. */
export interface ImportedPrices {
  sheet: PriceSheet;
  found: PriceClass[];
  /** Kept from the base sheet, or without a price if its currency is different. */
  notFound: PriceClass[];
  /** Not imported, for the given reason. */
  ambiguous: { priceClass: PriceClass; reason: string }[];
  /** Addresses of further pages that the responses contain. */
  nextPages: string[];
}

/** The number of things that one price of the API covers; an hour is a part of Azure's month of 730 hours. */
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

const isOf = (meter: Meter, item: RetailItem): boolean =>
  item.type === 'Consumption' &&
  item.serviceName === meter.serviceName &&
  item.productName === meter.productName &&
  item.skuName === meter.skuName &&
  meter.meterNames.includes(item.meterName);

/** Returns the meter's items of the region, or if there are none, those that apply everywhere. */
function itemsOf(meter: Meter, items: readonly RetailItem[], region: string): RetailItem[] {
  const all = items.filter((item) => isOf(meter, item));
  const own = all.filter(({ armRegionName }) => armRegionName === region);
  return own.length > 0 ? own : all.filter(({ armRegionName }) => EVERYWHERE.includes(armRegionName));
}

/** The price of one thing and the free number before it, or the reason why there is no price. */
type Reading = { price: number; included: number; item: RetailItem } | { reason: string };

function read(items: readonly RetailItem[]): Reading {
  const unknown = items.find(({ unitOfMeasure }) => MEASURES[unitOfMeasure] === undefined);
  if (unknown) return { reason: `unit of measure "${unknown.unitOfMeasure}" is unknown` };
  const priced = items.filter(({ retailPrice }) => retailPrice > 0);
  const candidates = priced.length > 0 ? priced : items;
  const tier = Math.min(...candidates.map(({ tierMinimumUnits }) => tierMinimumUnits));
  const first = candidates.filter(({ tierMinimumUnits }) => tierMinimumUnits === tier);
  const perThing = ({ retailPrice, unitOfMeasure }: RetailItem) => retailPrice / (MEASURES[unitOfMeasure] ?? 1);
  const prices = [...new Set(first.map((item) => Number(perThing(item).toPrecision(9))))];
  const [item] = first;
  const [price] = prices;
  if (item === undefined || price === undefined) return { reason: 'no item' };
  if (prices.length > 1)
    return { reason: first.map((one) => `${one.meterName} ${one.retailPrice} per ${one.unitOfMeasure}`).join(', ') };
  return { price, included: tier * (MEASURES[item.unitOfMeasure] ?? 1), item };
}

/** Removes the errors of floating-point arithmetic. */
const clean = (value: number): number => Number(value.toPrecision(9));

const SOURCE = 'Azure Retail Prices API';

/**
 * Creates a sheet from the responses.
 * @throws RetailPricesError if they are in more than one currency
 */
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

/** Counts of included things and free things are equal in every currency; other prices are not. */
function keptFrom(base: PriceSheet, priceClass: PriceClass, currency: string): Price {
  const kept = base.prices[priceClass];
  const isAmount = !kept.unit.includes('included') && unitPrice(base, priceClass) !== 0;
  if (!isAmount || currency === base.currency) return kept;
  return {
    value: null,
    unit: kept.unit,
    source: `not in the saved responses, and ${base.name} is in ${base.currency}`,
    date: kept.date,
    verified: false,
  };
}

function onlyCurrency(answers: readonly RetailAnswer[]): string {
  const currencies = [...new Set(answers.map(({ BillingCurrency }) => BillingCurrency))];
  const [currency] = currencies;
  if (currency === undefined || currencies.length > 1)
    throw new RetailPricesError(
      `Expected responses in one currency, got ${currencies.join(' and ') || 'no response'}.`,
    );
  return currency;
}

/** Returns the regions of the responses, without the meters that have one price everywhere. */
export const regionsOf = (answers: readonly RetailAnswer[]): string[] =>
  [...new Set(answers.flatMap(({ Items }) => Items.map(({ armRegionName }) => armRegionName)))].filter(
    (region) => !EVERYWHERE.includes(region),
  );
