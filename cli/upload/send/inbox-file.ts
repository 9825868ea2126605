import type { InboxFileView, InboxList } from '../../../shared/http/inbox/schemas.ts';
import { ApiProblem } from '../../api/problem.ts';
import { CliError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Session } from '../../session.ts';
import { waitUntil } from '../../watch/until-finished.ts';
import type { WaitOptions } from '../../watch/wait.ts';

const LOOK_MS = 2_000;

/** Which file of the inbox is waited for. */
export interface AwaitedFile extends WaitOptions {
  name: string;
  /** Outcomes before this time are ignored: they are those of an earlier file of the same name. */
  since?: Date;
}

/** Waits until the app has taken an inbox file, and returns its batch. Throws ApiProblem with the reason of a rejection. */
export async function awaitInboxFile(
  { api, io }: Session,
  { name, since = new Date(0), timeout }: AwaitedFile,
): Promise<string> {
  const { now, sleep } = io;
  const { files } = await waitUntil<InboxList>({
    ...{ now, sleep, show: () => {}, everyMs: () => LOOK_MS },
    look: () => api.json<InboxList>({ path: 'inbox', query: { name } }),
    isOver: ({ files: [file] }) => file !== undefined && isDecided(file) && new Date(file.since) >= since,
    late: () =>
      new CliError(`${name} is still in the inbox; the app takes it at its next look there.`, {
        exitCode: EXIT.timeout,
        hint: 'Does the app watch its inbox? Its setting SLUICE_INBOX_SCHEDULE says when.',
      }),
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  });
  const [{ batch, reason } = {}] = files;
  if (batch !== undefined) return batch;
  if (reason === undefined) throw new CliError(`${name} was rejected, and its reason was removed.`, REFUSED);
  throw new ApiProblem(reason.status, JSON.stringify(reason));
}

const REFUSED = { exitCode: EXIT.refused };

const isDecided = ({ state }: InboxFileView): boolean => state === 'done' || state === 'rejected';
