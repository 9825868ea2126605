import { randomFillSync } from 'node:crypto';

/** The number of tokens that are generated with one call of the random source. */
const TOKENS_AT_ONCE = 256;
const TOKEN_BYTES = 16;

let pool = Buffer.alloc(0);

/** Creates a lock token: 16 bytes in the order of the textual form of a GUID. */
export function createLockToken(): Buffer {
  if (pool.length === 0) pool = randomFillSync(Buffer.alloc(TOKENS_AT_ONCE * TOKEN_BYTES));
  const token = pool.subarray(0, TOKEN_BYTES);
  pool = pool.subarray(TOKEN_BYTES);
  return token;
}

/**
 * Converts a token to a delivery tag, which has .NET's byte order: the first three groups are reversed. The swap is its own
 * inverse.
 */
export function swapGuidBytes(token: Buffer): Buffer {
  const swapped = Buffer.from(token);
  swapped.subarray(0, 4).reverse();
  swapped.subarray(4, 6).reverse();
  swapped.subarray(6, 8).reverse();
  return swapped;
}
