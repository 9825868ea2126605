/** Seconds as milliseconds. */
export const seconds = (count: number): number => count * 1000;
/** Minutes as milliseconds. */
export const minutes = (count: number): number => count * 60_000;
/** Hours as milliseconds. */
export const hours = (count: number): number => count * 3_600_000;
/** Days as milliseconds. */
export const days = (count: number): number => count * 86_400_000;
