/** Sends one upload: a file, standard input, or the file at an address. */

import type { BatchView } from '../../shared/http/batches/schemas.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { clearLine } from '../process/status-line.ts';
import type { Session } from '../session.ts';
import { describeRepeat } from '../text/batch-text.ts';
import { formatCount, formatNumber } from '../text/format.ts';
import { exitCodeOf } from '../watch/until-finished.ts';
import { describeEnd, waitFor } from '../watch/wait.ts';
import { type Source, withKey } from './input.ts';
import { showUpload } from './progress.ts';
import type { UploadProgress } from './send/body.ts';
import { type SendOptions, type Submitted, sendBatch, type UploadView } from './send/send-batch.ts';

/** Sends one file, and prints its batch. */
export const sendOne = (session: Session, source: Source, options: SendOptions): Promise<ExitCode> =>
  explainInterrupt(session, async (state) => {
    const input = await withKey(session, source, options);
    const { key, isKeyRandom } = input;
    Object.assign(state, { key, isKeyRandom });
    session.inform(`Idempotency key: ${key}`, ...(input.remark === undefined ? [] : [input.remark]));
    const run: UploadView['run'] = (upload) =>
      showUpload(session.screen, (show) =>
        upload((progress) => {
          state.progress = progress;
          show(progress);
        }),
      );
    state.sent = await sendBatch(session, input, { options, view: { run, say: session.inform } });
    return finish(session, state.sent, { key, options });
  });

async function finish(
  session: Session,
  sent: Submitted,
  { key, options }: { key: string; options: SendOptions },
): Promise<ExitCode> {
  const { batch, inbox, isRepeat } = sent;
  if (batch === undefined) {
    session.answer({ inbox, idempotencyKey: key }, () => [`In the inbox as ${inbox}.`]);
    session.inform('The app takes it at its next poll of the inbox; --wait waits for the batch.');
    return EXIT.done;
  }
  if (session.settings.quiet && !session.settings.json) session.print(batch.id);
  else if (!session.settings.json || options.wait) sayAccepted(session, batch, isRepeat);
  return options.wait ? waitToEnd(session, batch, key, options) : printAccepted(session, sent, key);
}

function sayAccepted({ settings, print, inform }: Session, batch: BatchView, isRepeat: boolean): void {
  const { id, chunks, counts, lane } = batch;
  const say = settings.json ? inform : print;
  if (isRepeat) say(describeRepeat(batch, '--again'));
  else
    say(
      `Accepted as batch ${id}: ${formatCount(counts.accepted)} items, ${formatNumber(chunks.total, 'chunk')}, lane ${lane}`,
    );
}

function printAccepted({ answer }: Session, { batch, isRepeat }: Submitted, key: string): ExitCode {
  answer({ ...batch, idempotencyKey: key, isRepeat }, () => []);
  return EXIT.done;
}

async function waitToEnd(session: Session, first: BatchView, key: string, options: SendOptions): Promise<ExitCode> {
  const batch = await waitFor(session, first.id, { ...options, first });
  session.answer({ ...batch, idempotencyKey: key }, () => (session.settings.quiet ? [] : describeEnd(batch)));
  return exitCodeOf(batch);
}

export interface UploadState {
  key?: string;
  /** Whether the same command would choose another key. */
  isKeyRandom?: boolean;
  /** Undefined before the upload begins. */
  progress?: Pick<UploadProgress, 'isWhole'>;
  sent?: Submitted;
}

/** Runs an upload, which records its state. If the user interrupts the command meanwhile, the state is printed. */
export async function explainInterrupt<T>(
  { io }: Pick<Session, 'io'>,
  upload: (state: UploadState) => Promise<T>,
): Promise<T> {
  const state: UploadState = {};
  const stopListening = io.onInterrupt?.(() => {
    io.stderr.write(`${clearLine(io.stderr)}sluice: Interrupted${describeState(state).join('\n')}\n`);
  });
  try {
    return await upload(state);
  } finally {
    stopListening?.();
  }
}

function describeState({ key, isKeyRandom = false, progress, sent }: UploadState): string[] {
  if (sent?.batch)
    return [`. The app continues with batch ${sent.batch.id}.`, `To watch it: sluice watch ${sent.batch.id}`];
  const same = isKeyRandom ? `the same command with --idempotency-key ${key}` : 'the same command';
  if (!progress?.isWhole)
    return [' before the whole upload was sent. Nothing of it is accepted.', `To submit it, run ${same}.`];
  return [
    ` after the whole upload was sent, with the key ${key}. It may have been accepted.`,
    `To find out and to continue, run ${same}: the app processes uploads with the same key only once.`,
  ];
}
