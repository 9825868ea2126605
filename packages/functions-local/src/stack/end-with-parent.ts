/**
 * Loaded into every child by `--import`: ends the child when its parent is gone, however the parent died. A SIGKILL of
 * the parent runs no handler there, and an orphan would hold ports and database files against the next start.
 */
import { isMainThread } from 'node:worker_threads';

// Worker threads inherit --import, but the channel belongs to the main thread.
if (isMainThread && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
