import type { TableFlags } from '../../cli/upload/csv-flags.ts';
import type { Answered } from '../verify/verify.ts';

/** The file to upload. */
export interface Submission {
  file: string;
  workload: string;
  /** Format of a table. If absent, it is detected from the start of the file. */
  csv?: TableFlags;
  /** Whether the same content is processed only once, as by `sluice submit`. Default: every upload is a new batch. */
  isOnce?: boolean;
  /** Describes how the result differs from the totals of the file; absent if those cannot be calculated. */
  compare?: (answered: Answered) => Promise<string[]>;
}
