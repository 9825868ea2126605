/** After Ctrl-C during an upload, says whether it may have been accepted, and how to continue. */
import { clearLine } from '../process/status-line.ts';
import type { Session } from '../session.ts';
import type { UploadProgress } from './send/body.ts';
import type { Submitted } from './send/send-batch.ts';

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
