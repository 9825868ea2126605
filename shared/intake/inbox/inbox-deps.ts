import type { PublishRejected } from '../../events/publish.ts';
import type { Settings } from '../../settings.ts';
import type { Registry } from '../../workload/registry.ts';
import type { SubmitDeps } from '../submit-request.ts';
import type { InboxMarks } from './inbox-marks.ts';

export interface InboxDeps extends SubmitDeps {
  registry: Registry;
  settings: Settings;
  publishRejected: PublishRejected;
  /**
   * Runs `work` while no chunk and no file of a message runs in this process.
   * @throws NoSlotError if that is not possible within `maxWaitMs`. Then `work` does not run.
   */
  alone: <T>(work: () => Promise<T>, maxWaitMs: number) => Promise<T>;
  pause?: (ms: number) => Promise<unknown>;
  /** How often an intake writes a checkpoint, and the size of its blocks. Defaults are in store-upload.ts. */
  intakeSizes?: { checkpointBytes: number; blockBytes: number };
}

export interface Taking {
  marks: InboxMarks;
  signal: AbortSignal;
  /** Maximum size of a file in bytes, as stored; a larger file is not read. */
  maxBytes: number;
  /** The setting that contains `maxBytes`, for the problem of a larger file. */
  maxBytesSetting: string;
  /** The producer of the message that contains the name of the file; undefined if the file was found in the inbox. */
  producer?: string | undefined;
  traceparent?: string | undefined;
  /** Whether nothing else runs in the process that could end it. */
  isAlone: boolean;
}
