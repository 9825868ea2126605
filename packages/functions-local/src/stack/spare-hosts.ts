import { startSpareHost } from './parts.ts';
import type { SpareProcess, SpareSurroundings } from './process/spare-process.ts';
import type { ReloadableOptions } from './stack-options.ts';

/** New instances are busy with their first work for this time. */
const DELAY_MS = 1_500;

/** At most one process that has loaded the host and waits to become the next instance. */
export interface SpareHosts {
  /** Starts a process after a delay, unless one exists or no file of the app can be loaded in advance. */
  prepare(): void;
  take(): SpareProcess | undefined;
  end(): void;
}

/** Immediately starts a spare process for the first instance. */
export function startSpareHosts(preload: ReloadableOptions['preload'], surroundings: SpareSurroundings): SpareHosts {
  const start = (): SpareProcess => startSpareHost(preload === undefined ? [] : [preload], surroundings);
  let spare: SpareProcess | undefined = start();
  let delay: NodeJS.Timeout | undefined;
  return {
    prepare: () => {
      clearTimeout(delay);
      if (preload === undefined) return;
      delay = setTimeout(() => {
        spare ??= start();
      }, DELAY_MS).unref();
    },
    take: () => {
      const taken = spare;
      spare = undefined;
      return taken;
    },
    end: () => {
      clearTimeout(delay);
      spare?.end();
    },
  };
}
