/**
 * Creates a generator of random numbers from 0 to 1 (exclusive), which are always the same for the same seed: sfc32, with 128
 * bits of state.
 */
export function createRandom(seed: number): () => number {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162 ^ seed, 1];
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // Seeds that differ in one bit produce similar numbers until the state is mixed.
  for (let round = 0; round < 15; round += 1) next();
  return next;
}

/** Returns the element of a list for `random`, which must be below 1. */
export function pick<T>(list: readonly [T, ...T[]], random: number): T {
  return list[Math.floor(random * list.length)] ?? list[0];
}
