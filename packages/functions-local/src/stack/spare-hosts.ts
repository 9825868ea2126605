import { startSpareHost } from './parts.ts';
import type { SpareProcess, SpareSurroundings } from './process/spare-process.ts';
import type { ReloadableOptions } from './stack-options.ts';

/** Until then new instances are busy with what they were started for. */
const DELAY_MS = 1_500;

/** At most one process at a time that has loaded the host and stands by to become the next instance. */
export interface SpareHosts {
  /** Starts one a little later, unless there is one or nothing of the app can be loaded ahead. */
  prepare(): void;
  take(): SpareProcess | undefined;
  end(): void;
}

/** Starts a spare process at once, for the first instance.  */
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
