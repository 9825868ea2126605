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

/** The options of `submit`, which apply to each file. */
export interface SendOptions extends InputOptions, WaitOptions {
  workload: string;
  lane?: string;
  label?: Labels;
  validate?: boolean;
  wait?: boolean;
  via: (typeof WAYS)[number];
  inboxConnection?: string;
}

/** A submitted file; it has no batch yet if it is in the inbox and `--wait` was not given. */
export interface Submitted {
  batch?: BatchView;
  isRepeat: boolean;
  inbox?: string;
}

const WAITING = 'Waiting for the app to take the file from the inbox';

/** Shows the progress and remarks of an upload. */
export interface UploadView {
  run<T>(upload: (onProgress: (progress: UploadProgress) => void) => Promise<T>): Promise<T>;
  say(remark: string): void;
}

/** The default limit of the app, 200 MiB; the platform allows 210 MB (docs/deploy.md). */
const HTTP_LIMIT_BYTES = 200 * 1024 * 1024;

/**
 * Uploads in a request or through the inbox. Throws CliError if the upload is too large for a request and the inbox cannot be
 * used.
 */
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

/** Returns the connection of the inbox. Throws UsageError if it is not set. */
export function requireInbox(session: Session, options: Pick<SendOptions, 'inboxConnection'>): string {
  const connection = inboxOf(session, options);
  if (connection !== undefined) return connection;
  throw new UsageError('--via inbox: expected --inbox-connection or SLUICE_INBOX_CONNECTION as well');
}

/** Throws UsageError for --validate, which uploads through the inbox do not support. */
export function refuseValidate({ validate }: Pick<SendOptions, 'validate'>): void {
  if (validate)
    throw new UsageError(
      '--validate: cannot be used with the inbox, which validates if the workload sets validateAtIntake',
    );
}

const inboxOf = ({ settings }: Session, options: Pick<SendOptions, 'inboxConnection'>): string | undefined =>
  options.inboxConnection ?? settings.inbox;

const OVER_LIMIT = 'The upload is larger than 200 MiB, compressed.';
/** The front end of Azure Functions refuses a large body itself, with an empty answer. */
const OVER_PLATFORM_LIMIT = 'The platform refused the upload: a request may have at most 210 MB.';

/** Returns the batch, or a text that says why the upload is too large for a request. */
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
    return 'Omit --validate: the inbox accepts larger files, and validates them if the workload sets validateAtIntake.';
  if (options.via === 'http')
    return 'Omit --via http: the inbox accepts larger files. Or submit several smaller files.';
  const again = input.isFile
    ? 'The inbox accepts larger files'
    : 'Repeat it with --via inbox, which accepts larger files';
  return [
    `${again}: give its storage account with --inbox-connection or SLUICE_INBOX_CONNECTION`,
    `(see sluice submit --help), or upload the file to the container inbox as`,
    `${inboxName(input, options)} (compressed with zstd). Or submit several smaller files.`,
  ].join('\n');
}

async function sendToInbox(
  session: Session,
  inbox: ContainerClient,
  { input, options, view }: { input: Input; options: SendOptions; view: UploadView },
): Promise<Submitted> {
  const name = inboxName(input, options);
  view.say(`Sending through the inbox, as ${name}`);
  const put = await view.run((onProgress) => putIntoInbox(inbox, { name, input, labels: options.label, onProgress }));
  if (!options.wait) return { isRepeat: false, inbox: name };
  view.say(WAITING);
  const id = await awaitInboxFile(session, { name, since: put.at, ...options });
  return { batch: await getBatch(session, id), isRepeat: false, inbox: name };
}
