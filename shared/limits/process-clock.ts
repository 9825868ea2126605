/**
 * Milliseconds of a monotonic clock that is one for all threads of a process: a share ends in all of them at once.
 * `performance.now` alone begins anew in each thread.
 */
export const processClockMs = (): number => performance.timeOrigin + performance.now();
