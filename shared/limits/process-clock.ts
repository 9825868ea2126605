/**
 * Milliseconds of a monotonic clock that is the same for all threads of a process, so that a share ends in all of them
 * at the same time. `performance.now` alone starts at 0 in each thread.
 */
export const processClockMs = (): number => performance.timeOrigin + performance.now();
