/** A product of the demo's cloud, with its price per unit in each currency. */
export interface Product {
  name: string;
  /** Largest quantity of a line, and the digits after its point. */
  largest: number;
  digits: number;
  prices: { EUR: string } & Record<string, string>;
}

/** A currency and, if it is not the currency's home, the country of supply. */
export interface Market {
  currency: string;
  country?: string;
}

/** Prices have as many digits as those of real meters; prices per call are far below a minor unit. */
export const PRODUCTS: readonly [Product, ...Product[]] = [
  {
    name: 'api-calls',
    largest: 250_000,
    digits: 0,
    prices: { EUR: '0.000037', USD: '0.00004', GBP: '0.000032', CHF: '0.000039', JPY: '0.0062', KWD: '0.0000123' },
  },
  {
    name: 'storage-gb',
    largest: 5_000,
    digits: 3,
    prices: { EUR: '0.0213', USD: '0.023', GBP: '0.0185', CHF: '0.0221', JPY: '3.45', KWD: '0.00708' },
  },
  {
    name: 'egress-gb',
    largest: 3_000,
    digits: 6,
    prices: { EUR: '0.0815', USD: '0.087', GBP: '0.0699', CHF: '0.0835', JPY: '12.99', KWD: '0.026655' },
  },
  {
    name: 'compute-hours',
    largest: 744,
    digits: 2,
    prices: { EUR: '0.104', USD: '0.112', GBP: '0.09', CHF: '0.1075', JPY: '16.8', KWD: '0.0344' },
  },
  {
    name: 'support-seat',
    largest: 40,
    digits: 0,
    prices: { EUR: '29.00', USD: '29.00', GBP: '25.00', CHF: '31.50', JPY: '4500', KWD: '8.900' },
  },
];

/** The markets of the accounts. Several countries share the euro and differ in tax. */
export const MARKETS: readonly [Market, ...Market[]] = [
  { currency: 'EUR' },
  { currency: 'EUR', country: 'FR' },
  { currency: 'EUR', country: 'IT' },
  { currency: 'USD' },
  { currency: 'GBP' },
  { currency: 'CHF' },
  { currency: 'JPY' },
  { currency: 'KWD' },
];
