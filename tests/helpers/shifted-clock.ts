/**
 * Preloaded by a host (`--import`): sets the clock of its process and of its threads ahead. `FAULT_CLOCK_OFFSETS_MS`
 * has one number per instance, in order, separated by commas. The clocks of all services are unchanged, as with wrong
 * clocks of machines.
 */
import process from 'node:process';

const { FAULT_CLOCK_OFFSETS_MS = '', WEBSITE_INSTANCE_ID = '' } = process.env;
const number = Number(WEBSITE_INSTANCE_ID.replace('host-', ''));
const offsetMs = Number(FAULT_CLOCK_OFFSETS_MS.split(',')[number - 1] ?? 0);
const realNow = Date.now;
Date.now = () => realNow() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, newTarget),
});
