import type { TableFlags } from '../../cli/upload/csv-flags.ts';

/** The result of the pipeline. */
export interface Answered {
  counts: { accepted: number; succeeded: number; dead: number };
  report: readonly { key: string; value: unknown }[];
}

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
