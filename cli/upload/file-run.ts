import type { BatchView } from '../../shared/http/batches/schemas.ts';
import type { CliError } from '../process/errors.ts';
import type { Source } from './input.ts';
import type { UploadProgress } from './send/body.ts';
import type { Submitted } from './send/send-batch.ts';

/** A file on its way, and its outcome so far. */
export interface FileRun {
  source: Source;
  phase: 'waiting' | 'working' | 'ended';
  progress?: UploadProgress;
  key?: string;
  sent?: Submitted;
  /** The batch as it was last seen, when it is waited for. */
  watched?: BatchView;
  failure?: CliError;
}

/** The batch of a file, as it was last heard of. */
export const batchOf = ({ watched, sent }: FileRun): BatchView | undefined => watched ?? sent?.batch;
