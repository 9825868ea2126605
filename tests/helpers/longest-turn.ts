/** Returns what `work` returns, and the longest time in milliseconds without a turn of the event loop meanwhile. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ value: T; longestMs: number }> {
  let [longestMs, lastMs, isOver] = [0, performance.now(), false];
  const turn = (): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const value = await work();
  turn();
  isOver = true;
  return { value, longestMs };
}
