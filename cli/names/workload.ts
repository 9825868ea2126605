/** Chooses the workload of a command. There is no default, because a file must not be processed and billed by mistake. */
import { UsageError } from '../process/errors.ts';
import type { Session } from '../session.ts';
import { didYouMean } from '../text/nearest.ts';

/**
 * Returns the workload of `--workload`; without it, the only one of the app, with one request that needs no key. A given name
 * is not looked up, because the app refuses an unknown one and lists those it has. Throws UsageError if the app has several.
 */
export async function workloadOf(session: Session, option: string | undefined): Promise<string> {
  return option ?? chooseWorkload(await workloadsOf(session));
}

/** Returns the names of the workloads of the app. */
export async function workloadsOf({ api }: Pick<Session, 'api'>): Promise<readonly string[]> {
  return (await api.json('GET health')).workloads;
}

/**
 * Checks the workload of an empty list, which may be due to a misspelled name. Throws UsageError for a workload that the app
 * does not have.
 */
export async function checkWorkload(session: Session, name: string | undefined): Promise<void> {
  if (name !== undefined) chooseWorkload(await workloadsOf(session), name);
}

/** Returns the given workload, or the only one. Otherwise, throws UsageError with the `known` workloads and `hint`. */
export function chooseWorkload(known: readonly string[], option?: string, hint?: string): string {
  if (option !== undefined) {
    if (known.includes(option)) return option;
    throw new UsageError(
      `--workload: there is no workload "${option}"; there are: ${known.join(', ')}.${didYouMean(option, known)}`,
      hint === undefined ? {} : { hint },
    );
  }
  const [only, ...others] = known;
  if (only !== undefined && others.length === 0) return only;
  throw new UsageError(`--workload: expected one of ${known.join(', ')}`);
}
