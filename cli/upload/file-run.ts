import type { BatchView } from '../../shared/http/batches/schemas.ts';
import type { CliError } from '../process/errors.ts';
import type { Source } from './input.ts';
import type { UploadProgress } from './send/body.ts';
import type { Submitted } from './send/send-batch.ts';

export interface FileRun {
  source: Source;
  phase: 'waiting' | 'working' | 'ended';
  progress?: UploadProgress;
  key?: string;
  sent?: Submitted;
  watched?: BatchView;
  failure?: CliError;
}

/** Returns the latest known state of the batch of a file. */
export const batchOf = ({ watched, sent }: FileRun): BatchView | undefined => watched ?? sent?.batch;
