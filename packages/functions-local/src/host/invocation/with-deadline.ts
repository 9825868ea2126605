import { LONGEST_TIMER_MS } from '../timer/wait.ts';

/** Returns the promise's result, or the result or error of `onDeadline` after `ms`. A later result is ignored. */
export function withDeadline<T>(work: Promise<T>, ms: number, onDeadline: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolveWith(onDeadline, resolve, reject), Math.min(ms, LONGEST_TIMER_MS));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function resolveWith<T>(make: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): void {
  try {
    resolve(make());
  } catch (error: unknown) {
    reject(error);
  }
}
