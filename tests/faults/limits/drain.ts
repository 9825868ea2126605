/**
 * The drain of a queue, as far as limits depend on it: waves of tasks, each in any process, and a wait if none had a
 * share.
 */
import type { Process, World } from './process.ts';

/** Between two waves. */
const FINISH_MS = { least: 20, most: 150 };
/** A parked queue is woken a little late. */
const WAKE_MS = 500;
/** The drain does not wait longer for the task of a process that died or is frozen: its messages are visible again. */
const LOST_MS = 10_000;
const NOBODY_UP_MS = 500;

/** Plans a queue that always has work, in waves of up to `tasks` tasks. */
export function planDrain(world: World, processes: readonly Process[], queue: string, tasks: number): void {
  const { time, random } = world;
  const wave = async (): Promise<void> => {
    const up = processes.filter((process) => process.isUp());
    if (up.length === 0) return time.sleep(NOBODY_UP_MS);
    const first = Math.floor(random() * up.length);
    const count = 1 + Math.floor(random() * tasks);
    const chosen = Array.from({ length: count }, (_, n) => up[(first + n) % up.length] as Process);
    const lost = { retryAt: time.nowMs + LOST_MS };
    const runs = chosen.map(async (process) => {
      const ran = process.runTask(queue);
      const patience = SLICE_END_MS + LOST_MS;
      return Promise.race([ran, time.sleep(patience).then(() => lost)]);
    });
    const ends = await Promise.all(runs);
    const retryAts = ends.flatMap(({ retryAt }) => (retryAt === undefined ? [] : [retryAt]));
    const isParked = retryAts.length === ends.length;
    const untilMs = isParked ? Math.max(time.nowMs, Math.min(...retryAts)) + random() * WAKE_MS : time.nowMs;
    await time.sleep(untilMs - time.nowMs + FINISH_MS.least + random() * (FINISH_MS.most - FINISH_MS.least));
  };
  const run = async (): Promise<void> => {
    for (;;) await wave();
  };
  time.after(0, () => {
    time.settled();
    void run();
  });
}

/** Tasks take longer only if their process is frozen. */
const SLICE_END_MS = 31_000;
