/**
 * Loaded into every child with `--import`. Ends the child when its parent dies for any reason. After a SIGKILL, the parent
 * runs no handler, and the orphan would keep ports and database files that the next start needs.
 */
import { flushCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** A thread has loaded its code after this time. */
const LOADED_MS = 1_000;

// Worker threads inherit --import, but the channel belongs to the main thread.
if (isMainThread && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

// Node writes NODE_COMPILE_CACHE at the end of a process, when worker threads are terminated before they can write their
// part.
if (!isMainThread && process.env.NODE_COMPILE_CACHE) setTimeout(flushCompileCache, LOADED_MS).unref();
