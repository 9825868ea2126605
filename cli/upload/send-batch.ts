import type { BatchView } from '../../shared/http/schemas.ts';
import { ApiProblem } from '../api/problem.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { getBatch, type WaitOptions } from '../watch/wait.ts';
import { OverHttpLimit } from './body.ts';
import { awaitInbox, type Inbox, inboxName, openInbox, putIntoInbox } from './inbox.ts';
import type { Input, InputOptions } from './input.ts';
import { type PostedBatch, postBatch } from './post-batch.ts';
import { showUpload } from './progress.ts';

/** Ways of an upload: in a request and if need be by the inbox, or by one of them alone. */
export const WAYS = ['auto', 'http', 'inbox'] as const;

/** The options of `submit`. */
export interface SubmitOptions extends InputOptions, WaitOptions {
  workload: string;
  lane?: string;
  wait?: boolean;
  via: (typeof WAYS)[number];
  inboxConnection?: string;
}

/** The batch; none yet for a file that lies in the inbox and is not waited for. */
export interface Submitted {
  batch?: BatchView;
  isRepeat: boolean;
  /** Name in the inbox. */
  inbox?: string;
}

/** The platform lets 210 MB through, and the app says 200 MiB unless it is set otherwise (docs/deploy.md). */
export const HTTP_LIMIT_BYTES = 200 * 1024 * 1024;

/** Uploads by the way that fits. Throws CliError when it is too large for a request and there is no way to the inbox. */
export async function sendBatch(session: Session, input: Input, options: SubmitOptions): Promise<Submitted> {
  if (options.via !== 'inbox') {
    const posted = await tryHttp(session, input, options);
    if (typeof posted !== 'string') return posted;
    if (options.via === 'http' || !input.isFile || inboxOf(session, options) === undefined)
      throw tooLarge(posted, input, options);
    session.inform(posted);
  }
  const connection = inboxOf(session, options);
  if (connection === undefined)
    throw new UsageError('--via inbox: expected --inbox-connection or SLUICE_INBOX_CONNECTION as well');
  return sendToInbox(session, await openInbox(connection), { input, options });
}

const inboxOf = ({ settings }: Session, options: SubmitOptions): string | undefined =>
  options.inboxConnection ?? settings.inbox;

const OVER_LIMIT = 'The upload is larger than 200 MiB, compressed.';

/** The batch; or in words why it is too large for a request. */
async function tryHttp(session: Session, input: Input, options: SubmitOptions): Promise<PostedBatch | string> {
  const { kind, key, size } = input;
  if (!kind.compress && size !== undefined && size > HTTP_LIMIT_BYTES) return OVER_LIMIT;
  const { workload, lane } = options;
  try {
    return await showUpload(session.screen, (onProgress) =>
      postBatch(session.api, {
        ...{ workload, lane, key, kind, size, onProgress },
        source: input.open(),
        maxBytes: HTTP_LIMIT_BYTES,
        userAgent: 'sluice-cli',
      }),
    );
  } catch (error: unknown) {
    if (error instanceof OverHttpLimit) return OVER_LIMIT;
    if (error instanceof ApiProblem && error.status === 413) return error.facts.detail ?? OVER_LIMIT;
    throw error;
  }
}

function tooLarge(reason: string, input: Input, options: SubmitOptions): CliError {
  const message = `${reason} Nothing was accepted.`;
  return new CliError(message, { exitCode: EXIT.refused, hint: inboxHint(input, options) });
}

function inboxHint(input: Input, options: SubmitOptions): string {
  const again = input.isFile ? 'The inbox takes larger files' : 'Repeat it with --via inbox, which takes larger ones';
  return [
    `${again}: name its storage with --inbox-connection or SLUICE_INBOX_CONNECTION`,
    `(see sluice submit --help), or put it into container inbox yourself, as`,
    `${inboxName(input, options)} (compressed with zstd).`,
  ].join('\n');
}

async function sendToInbox(
  session: Session,
  inbox: Inbox,
  { input, options }: { input: Input; options: SubmitOptions },
): Promise<Submitted> {
  const name = inboxName(input, options);
  session.inform(`By the inbox, as ${name}`);
  const put = await showUpload(session.screen, (onProgress) => putIntoInbox(inbox, { name, input, onProgress }));
  if (!options.wait) return { isRepeat: false, inbox: name };
  session.inform('Waiting for the app to look into the inbox');
  const id = await awaitInbox(inbox, put, {
    ...session.io,
    timeoutMs: options.timeout === undefined ? undefined : options.timeout * 1000,
  });
  return { batch: await getBatch(session, id), isRepeat: false, inbox: name };
}
