import type { ContainerClient } from '@azure/storage-blob';
import type { Labels } from '../../../shared/contract/text/labels.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';
import { ApiProblem } from '../../api/problem.ts';
import { CliError, UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Session } from '../../session.ts';
import { getBatch, type WaitOptions } from '../../watch/wait.ts';
import type { Input, InputOptions } from '../input.ts';
import { OverHttpLimit, type UploadProgress } from './body.ts';
import { inboxName, openInbox, putIntoInbox } from './inbox.ts';
import { awaitInboxFile } from './inbox-file.ts';
import { type PostedBatch, postBatch } from './post-batch.ts';
import type { WAYS } from './ways.ts';

/** The options of `submit`; each file of several is sent with the same. */
export interface SendOptions extends InputOptions, WaitOptions {
  workload: string;
  lane?: string;
  label?: Labels;
  validate?: boolean;
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

/** What is printed while a file waits in the inbox. */
export const WAITING = 'Waiting for the app to look into the inbox';

/** Where an upload is shown. */
export interface UploadView {
  run<T>(upload: (onProgress: (progress: UploadProgress) => void) => Promise<T>): Promise<T>;
  say(remark: string): void;
}

/** The platform lets 210 MB through, and the app says 200 MiB unless it is set otherwise (docs/deploy.md). */
const HTTP_LIMIT_BYTES = 200 * 1024 * 1024;

/** Uploads by the way that fits. Throws CliError when it is too large for a request and there is no way to the inbox. */
export async function sendBatch(
  session: Session,
  input: Input,
  { options, view }: { options: SendOptions; view: UploadView },
): Promise<Submitted> {
  if (options.via !== 'inbox') {
    const posted = await tryHttp(session, input, { options, view });
    if (typeof posted !== 'string') return posted;
    if (options.via === 'http' || options.validate || !input.isFile || inboxOf(session, options) === undefined)
      throw tooLarge(posted, input, options);
    view.say(posted);
  }
  return sendToInbox(session, await openInbox(requireInbox(session, options)), { input, options, view });
}

/** The storage of the inbox. Throws UsageError where nothing names it. */
export function requireInbox(session: Session, options: Pick<SendOptions, 'inboxConnection'>): string {
  const connection = inboxOf(session, options);
  if (connection !== undefined) return connection;
  throw new UsageError('--via inbox: expected --inbox-connection or SLUICE_INBOX_CONNECTION as well');
}

/** Throws UsageError where what goes through the inbox is to be validated. */
export function refuseValidate({ validate }: Pick<SendOptions, 'validate'>): void {
  if (validate)
    throw new UsageError('--validate: the inbox validates where the workload says validateAtIntake, not by upload');
}

const inboxOf = ({ settings }: Session, options: Pick<SendOptions, 'inboxConnection'>): string | undefined =>
  options.inboxConnection ?? settings.inbox;

const OVER_LIMIT = 'The upload is larger than 200 MiB, compressed.';
/** The front end of Azure Functions refuses a body by itself, with nothing but the status. */
const OVER_PLATFORM_LIMIT = 'The platform refused the upload: it lets at most 210 MB through in a request.';

/** The batch; or in words why it is too large for a request. */
async function tryHttp(
  session: Session,
  input: Input,
  { options, view }: { options: SendOptions; view: UploadView },
): Promise<PostedBatch | string> {
  const { kind, key, csv, fileName, size } = input;
  if (!kind.compress && size !== undefined && size > HTTP_LIMIT_BYTES) return OVER_LIMIT;
  const { workload, lane, label: labels, validate } = options;
  try {
    return await view.run((onProgress) =>
      postBatch(session.api, {
        ...{ workload, lane, labels, validate, key, kind, csv, fileName, size, onProgress },
        source: input.open(),
        maxBytes: HTTP_LIMIT_BYTES,
        userAgent: 'sluice-cli',
      }),
    );
  } catch (error: unknown) {
    if (error instanceof OverHttpLimit) return OVER_LIMIT;
    if (error instanceof ApiProblem && isOverHttpLimit(error)) return error.facts.detail ?? OVER_PLATFORM_LIMIT;
    throw error;
  }
}

/** Whether the inbox can accept the upload: not if it exceeds a limit that the inbox has as well (`too-large`). */
const isOverHttpLimit = ({ status, kind }: ApiProblem): boolean =>
  status === 413 && (kind === undefined || kind === 'body-too-large');

function tooLarge(reason: string, input: Input, options: SendOptions): CliError {
  const message = `${reason} Nothing was accepted.`;
  return new CliError(message, { exitCode: EXIT.refused, hint: inboxHint(input, options) });
}

function inboxHint(input: Input, options: SendOptions): string {
  if (options.validate)
    return 'The inbox takes larger files, and validates them if the workload says validateAtIntake: leave out --validate.';
  const again = input.isFile ? 'The inbox takes larger files' : 'Repeat it with --via inbox, which takes larger ones';
  return [
    `${again}: name its storage with --inbox-connection or SLUICE_INBOX_CONNECTION`,
    `(see sluice submit --help), or put it into container inbox yourself, as`,
    `${inboxName(input, options)} (compressed with zstd). Or send several smaller files.`,
  ].join('\n');
}

async function sendToInbox(
  session: Session,
  inbox: ContainerClient,
  { input, options, view }: { input: Input; options: SendOptions; view: UploadView },
): Promise<Submitted> {
  const name = inboxName(input, options);
  view.say(`By the inbox, as ${name}`);
  const put = await view.run((onProgress) => putIntoInbox(inbox, { name, input, labels: options.label, onProgress }));
  if (!options.wait) return { isRepeat: false, inbox: name };
  view.say(WAITING);
  const id = await awaitInboxFile(session, { name, since: put.at, ...options });
  return { batch: await getBatch(session, id), isRepeat: false, inbox: name };
}
