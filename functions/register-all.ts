import { registerActivities } from './activities.ts';
import type { Registration } from './app.ts';
import { registerDrainQueue } from './drain-queue.ts';
import { registerEvents } from './events.ts';
import { registerHttp } from './http.ts';
import { registerTimers } from './timers.ts';

/** Registers all functions. */
export function registerAll(registration: Registration): void {
  registerHttp(registration);
  registerEvents(registration);
  registerTimers(registration);
  registerActivities(registration);
  registerDrainQueue();
}
