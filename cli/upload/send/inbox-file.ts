import type { InboxFileView, InboxList } from '../../../shared/http/inbox/schemas.ts';
import { ApiProblem } from '../../api/problem.ts';
import { CliError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Session } from '../../session.ts';
import { waitUntil } from '../../watch/until-finished.ts';
import type { WaitOptions } from '../../watch/wait.ts';

const POLL_MS = 2_000;

/** A file of the inbox to wait for. */
export interface AwaitedFile extends WaitOptions {
  name: string;
  /** States before this time are ignored, because they belong to an earlier file of the same name. */
  since?: Date;
}

/**
 * Waits until the app has taken a file of the inbox, and returns its batch. Throws ApiProblem with the reason if it was
 * rejected.
 */
export async function awaitInboxFile(
  { api, io }: Session,
  { name, since = new Date(0), timeout }: AwaitedFile,
): Promise<string> {
  const { now, sleep } = io;
  const { files } = await waitUntil<InboxList>({
    ...{ now, sleep, show: () => {}, everyMs: () => POLL_MS },
    poll: () => api.json('GET inbox', { query: { name } }),
    isDone: ({ files: [file] }) => file !== undefined && isDecided(file) && new Date(file.since) >= since,
    late: () =>
      new CliError(`${name} is still in the inbox; the app takes it at its next poll.`, {
        exitCode: EXIT.timeout,
        hint: 'Check that the app polls its inbox: its setting SLUICE_INBOX_SCHEDULE.',
      }),
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  });
  const [{ batch, reason } = {}] = files;
  if (batch !== undefined) return batch;
  if (reason === undefined) throw new CliError(`${name} was rejected, and the reason was deleted.`, REFUSED);
  throw new ApiProblem({ status: reason.status, text: JSON.stringify(reason) });
}

const REFUSED = { exitCode: EXIT.refused };

const isDecided = ({ state }: InboxFileView): boolean => state === 'done' || state === 'rejected';
