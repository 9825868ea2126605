import type { CsvOptions } from '../../shared/intake/parse/csv/csv-options.ts';
import type { Answered } from '../verify.ts';

/** What is uploaded. */
export interface Submission {
  file: string;
  workload: string;
  /** How a CSV file is written; default: found from its head. */
  csv?: CsvOptions;
  /** In words, how the answer differs from what the file comes to; absent where that cannot be worked out. */
  compare?: (answered: Answered) => Promise<string[]>;
}
