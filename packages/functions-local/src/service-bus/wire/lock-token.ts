import { randomFillSync } from 'node:crypto';

/** One call to the random source yields this many tokens. */
const TOKENS_AT_ONCE = 256;
const TOKEN_BYTES = 16;

let pool = Buffer.alloc(0);

/** A fresh lock token as 16 bytes in the order in which a GUID is written as text. */
export function createLockToken(): Buffer {
  if (pool.length === 0) pool = randomFillSync(Buffer.alloc(TOKENS_AT_ONCE * TOKEN_BYTES));
  const token = pool.subarray(0, TOKEN_BYTES);
  pool = pool.subarray(TOKEN_BYTES);
  return token;
}

/** As a delivery tag a token stands in .NET's order: the first three groups reversed. The swap is its own inverse. */
export function swapGuidBytes(token: Buffer): Buffer {
  const swapped = Buffer.from(token);
  swapped.subarray(0, 4).reverse();
  swapped.subarray(4, 6).reverse();
  swapped.subarray(6, 8).reverse();
  return swapped;
}
