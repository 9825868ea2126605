/**
 * Loaded into every child by `--import`: ends the child when its parent is gone, however the parent died. A SIGKILL of
 * the parent runs no handler there, and an orphan would hold ports and database files against the next start.
 */
import { flushCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** By then a thread has loaded its code. */
const LOADED_MS = 1_000;

// Worker threads inherit --import, but the channel belongs to the main thread.
if (isMainThread && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

// NODE_COMPILE_CACHE is written at the end of a process, which takes its threads down before they can write their part.
if (!isMainThread && process.env.NODE_COMPILE_CACHE) setTimeout(flushCompileCache, LOADED_MS).unref();
