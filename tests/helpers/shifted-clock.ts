/**
 * Preloaded by a host (`--import`): sets the clock of its process and of its threads ahead by `FAULT_CLOCK_OFFSET_MS`.
 * The clocks of all services stay, as where one machine's clock is wrong.
 */
import process from 'node:process';

const offsetMs = Number(process.env.FAULT_CLOCK_OFFSET_MS ?? 0);
const realNow = Date.now;
Date.now = () => realNow() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, newTarget),
});
