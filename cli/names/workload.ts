/** Which workload a command is about. There is no default: a file must not be billed because nobody said otherwise. */
import type { Health } from '../../shared/http/health/schemas.ts';
import { UsageError } from '../process/errors.ts';
import type { Session } from '../session.ts';
import { didYouMean } from '../text/nearest.ts';

/**
 * Returns the workload that `--workload` names; without it the only one that the app has, at one request without a key.
 * A name that is given is not looked up: the app refuses an unknown one, and names those it has.
 * Throws UsageError when there are several to choose from.
 */
export async function workloadOf(session: Session, option: string | undefined): Promise<string> {
  return option ?? chooseWorkload(await workloadsOf(session));
}

/** The workloads of the app, by name. */
export async function workloadsOf({ api }: Pick<Session, 'api'>): Promise<readonly string[]> {
  return (await api.json<Health>({ path: 'health', audience: 'anyone' })).workloads;
}

/**
 * Looks up the workload that a list was asked for and is empty: that may be due to a slip of the hand. Throws UsageError for
 * one that the app does not have.
 */
export async function checkWorkload(session: Session, name: string | undefined): Promise<void> {
  if (name !== undefined) chooseWorkload(await workloadsOf(session), name);
}

/** Returns the named workload, or the only one. Throws UsageError that names `known` for any other, with `hint`. */
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
  throw new UsageError(`--workload: expected one of ${known.join(', ')}, as there are several`);
}
