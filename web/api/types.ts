/** The shapes of the API, taken from the schemas that the server's answers are made by. */
import type { z } from 'zod';
import type { batchListSchema } from '../../shared/http/batches/schemas.ts';
import type { deadLetterGroupsSchema } from '../../shared/http/dead-letters/schemas.ts';

export type {
  BatchEntry,
  BatchReceipt,
  BatchView,
  UploadCheckView as UploadCheck,
} from '../../shared/http/batches/schemas.ts';
export type { Cost, CostPeriod } from '../../shared/http/cost/schemas.ts';
export type { Health } from '../../shared/http/health/schemas.ts';
export type { InboxFileView as InboxFile, InboxList } from '../../shared/http/inbox/schemas.ts';
export type { PolicyView, QueueView } from '../../shared/http/queues/schemas.ts';

export type BatchList = z.infer<typeof batchListSchema>;
export type DeadLetterGroups = z.infer<typeof deadLetterGroupsSchema>;
export type DeadLetterGroup = DeadLetterGroups['groups'][number];
export type DeadLetter = DeadLetterGroup['example'];

/** One line of a report. */
export interface ReportRow {
  key: string;
  value: unknown;
}

/** A place in an upload that is wrong. */
export interface UploadFault {
  line: number;
  /** Absent where only the line is known. */
  column?: number | undefined;
  message: string;
}
