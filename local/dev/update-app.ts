import { makeStorage, ProcessStartError, type ReloadableStack } from 'functions-local';
import { formatSeconds } from '../../cli/text/format.ts';
import { createAppCopies } from './app-copies.ts';
import { readSources } from './app-sources.ts';
import { print } from './print.ts';
import { readContainers } from './read-containers.ts';
import { describeStartFailure } from './start-failure.ts';

/** The outcome of an update. */
export type Update = 'nothing to do' | 'reloaded' | 'failed';

/**
 * Returns a function that updates the app of `stack` to the current sources in `root`, using copies of them in
 * `appsFolder`.
 */
export function createUpdate(stack: ReloadableStack, root: string, appsFolder: string): () => Promise<Update> {
  const copies = createAppCopies(appsFolder);
  return async () => {
    const startedAt = performance.now();
    const files = readSources(root);
    const changed = copies.changed(files);
    if (changed.length === 0) return 'nothing to do';
    const isFirst = stack.instances.length === 0;
    if (!isFirst) print('', `Edited: ${describeNames(changed)}`);
    const copy = copies.next(files);
    const mayNeedContainers = changed.some((name) => files.get(name)?.includes('containers') && isWorkload(name));
    try {
      // In parallel with the start, which takes longer.
      await Promise.all([stack.reload(copy), mayNeedContainers ? makeContainers(stack, copy) : undefined]);
      copies.started();
      print(`${isFirst ? 'Started' : 'Reloaded'} in ${formatSeconds(performance.now() - startedAt)}`);
      return 'reloaded';
    } catch (error: unknown) {
      if (!(error instanceof ProcessStartError)) throw error;
      const running = stack.instances.length === 0 ? 'no app is running' : 'the previous code continues to run';
      print(`The app does not start; ${running} until the error is fixed:`);
      print(...describeStartFailure(error.message, copy).map((line) => `  ${line}`));
      return 'failed';
    }
  };
}

const isWorkload = (name: string): boolean => name.startsWith('workloads/');

async function makeContainers({ storage }: ReloadableStack, copy: string): Promise<void> {
  await makeStorage(storage, { containers: await readContainers(copy), tables: [] });
}

const NAMES_SHOWN = 3;
const describeNames = (names: readonly string[]): string =>
  [...names.slice(0, NAMES_SHOWN), ...(names.length > NAMES_SHOWN ? [`${names.length - NAMES_SHOWN} more`] : [])].join(
    ', ',
  );
