import type { QueueView } from '../../shared/http/queues/schemas.ts';
import { ApiProblem } from '../api/problem.ts';
import { CliError } from '../process/errors.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import { nearest } from '../text/nearest.ts';

/** Names of the queues of the app, at one request of an operator. */
export async function queueNamesOf({ api }: Pick<Session, 'api'>): Promise<string[]> {
  const { queues } = await api.json<{ queues: QueueView[] }>({ path: 'queues', audience: 'operator' });
  return queues.map(({ queue }) => queue);
}

/** Makes a call about a queue; where there is none of this name, the error names the near one. */
export async function nearQueue<T>(session: Session, name: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error: unknown) {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
    const near = nearest(name, await queueNamesOf(session).catch(() => []));
    const hint = near === undefined ? 'sluice queues lists them.' : `Did you mean ${near}?`;
    throw new CliError(error.message, { exitCode: EXIT.notFound, hint, cause: error });
  }
}
