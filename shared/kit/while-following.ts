import { followStop } from '../processing/thread/thread-status.ts';
import type { ThreadTask } from '../processing/thread/thread-task.ts';

/** Runs a task, and asks it to end early once `stop` is aborted with a Stop as its reason, as the thread pool does. */
export async function whileFollowing<T>(
  { statusBuffer }: ThreadTask,
  stop: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  const unfollow = followStop(statusBuffer, stop);
  try {
    return await run();
  } finally {
    unfollow();
  }
}
