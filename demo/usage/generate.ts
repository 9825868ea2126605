import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createRandom, pick } from 'functions-local';
import { MARKETS, type Market, PRODUCTS, type Product } from './price-list.ts';
import { spoil, type UsageRecord } from './spoil.ts';

/** The file to create. The same options result in the same bytes. */
export interface GenerateOptions {
  /** Defaults to 200,000. */
  items?: number;
  /** Defaults to 1. */
  seed?: number;
}

const ACCOUNTS = 2_000;
const MONTH_START_MS = Date.UTC(2025, 2, 1);
const MONTH_MS = 31 * 86_400_000;
const CREDIT_FRACTION = 0.01;
/** One record in 500 is invalid, as in files of real clients. */
const BAD_FRACTION = 0.002;
const BLOCK_LINES = 1_000;

/** Writes a month of usage as NDJSON, sorted by time: few large accounts, many small ones, several currencies. */
export async function writeUsage(file: string, options: GenerateOptions = {}): Promise<void> {
  await pipeline(Readable.from(usageBlocks(options)), createWriteStream(file));
}

/** Yields the text of the file, a thousand lines at a time. */
export function* usageBlocks({ items = 200_000, seed = 1 }: GenerateOptions = {}): Generator<string> {
  const random = createRandom(seed);
  for (let start = 0; start < items; start += BLOCK_LINES) {
    const count = Math.min(BLOCK_LINES, items - start);
    const lines = Array.from({ length: count }, (_, offset) => usageLine(start + offset, items, random));
    yield `${lines.join('\n')}\n`;
  }
}

function usageLine(index: number, items: number, random: () => number): string {
  const record = usageRecord(index, items, random);
  return JSON.stringify(random() < BAD_FRACTION ? spoil(record, random()) : record);
}

function usageRecord(index: number, items: number, random: () => number): UsageRecord {
  // A power of a uniform number: rank k occurs about 1/k as often as rank 1 (Zipf), like accounts of a cloud.
  const rank = Math.floor(ACCOUNTS ** random());
  const market = accountMarket(rank, random());
  const product = pick(PRODUCTS, random());
  const isCredit = random() < CREDIT_FRACTION;
  const quantity = usageQuantity(product, random());
  const time = MONTH_START_MS + ((index + random()) / items) * MONTH_MS;
  return {
    id: `tx-${String(index + 1).padStart(8, '0')}`,
    account: `acct-${String(rank).padStart(5, '0')}`,
    product: product.name,
    quantity: isCredit ? `-${quantity}` : quantity,
    unitPrice: product.prices[market.currency] ?? product.prices.EUR,
    currency: market.currency,
    time: new Date(time).toISOString(),
    ...(isCredit ? { kind: 'credit' } : {}),
    ...(market.country === undefined ? {} : { country: market.country }),
  };
}

/** An account belongs to one market; one in twenty of its transactions is from a branch abroad. */
function accountMarket(rank: number, random: number): Market {
  const home = (rank * 7) % MARKETS.length;
  const index = random < 0.95 ? home : (home + 1) % MARKETS.length;
  return MARKETS[index] ?? MARKETS[0];
}

/** Also skewed: most quantities are small, a few reach the last discount. Never zero. */
function usageQuantity({ largest, digits }: Product, random: number): string {
  const quantity = largest ** random;
  return digits === 0 ? String(Math.ceil(quantity)) : quantity.toFixed(digits);
}
