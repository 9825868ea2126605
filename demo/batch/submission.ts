import type { TableFlags } from '../../cli/upload/csv-flags.ts';
import type { Answered } from '../verify/verify.ts';

/** What is uploaded. */
export interface Submission {
  file: string;
  workload: string;
  /** How a table is written; default: found from its head. */
  csv?: TableFlags;
  /** In words, how the answer differs from the totals of the file; absent where those cannot be computed. */
  compare?: (answered: Answered) => Promise<string[]>;
}
