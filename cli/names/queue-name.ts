import { ApiProblem } from '../api/problem.ts';
import { CliError } from '../process/errors.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import { nearest } from '../text/nearest.ts';

/** Returns the names of the queues, with one request that requires an operator's key. */
export async function queueNamesOf({ api }: Pick<Session, 'api'>): Promise<string[]> {
  const { queues } = await api.json('GET queues');
  return queues.map(({ queue }) => queue);
}

/** Makes a call about a queue. If the queue does not exist, the error suggests the most similar name. */
export async function nearQueue<T>(session: Pick<Session, 'api'>, name: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error: unknown) {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
    const near = nearest(name, await queueNamesOf(session).catch(() => []));
    const hint = near === undefined ? 'sluice queues lists the queues.' : `Did you mean ${near}?`;
    throw new CliError(error.message, { exitCode: EXIT.notFound, hint, cause: error });
  }
}
