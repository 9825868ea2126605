/** The types of the API, derived from the schemas of the server's responses. */
import type { z } from 'zod';
import type {
  deadLetterGroupsSchema,
  discardAnswerSchema,
  redriveAnswerSchema,
} from '../../shared/http/dead-letters/schemas.ts';
import type { ItemList, itemSchema } from '../../shared/http/items/schemas.ts';
import type { sweepAnswerSchema } from '../../shared/http/sweep/schemas.ts';

export type { Audit, AuditEntry } from '../../shared/http/audit/schemas.ts';
export type { BatchEntry, BatchList } from '../../shared/http/batches/list-schemas.ts';
export type { BatchView, CancelAnswer } from '../../shared/http/batches/schemas.ts';
export type { UploadCheckView as UploadCheck } from '../../shared/http/batches/upload/schemas.ts';
export type { BatchReceipt } from '../../shared/http/batches/view/receipt-schema.ts';
export type { Cost, CostPeriod } from '../../shared/http/cost/schemas.ts';
export type { DeadLettersOfBatches } from '../../shared/http/dead-letters/schemas.ts';
export type { Note } from '../../shared/http/edge/notes.ts';
export type { Health } from '../../shared/http/health/schemas.ts';
export type { History, HistoryDay } from '../../shared/http/history/schemas.ts';
export type { InboxFileView as InboxFile, InboxList } from '../../shared/http/inbox/schemas.ts';
export type { FoundItems, ItemState } from '../../shared/http/items/schemas.ts';
export type { BatchNotice, BatchNotices, Overview } from '../../shared/http/overview/schemas.ts';
export type { ClearedQueue, PolicyView, QueueDetails, QueueView, WaveView } from '../../shared/http/queues/schemas.ts';

export type ItemView = z.infer<typeof itemSchema>;
/** An item of a listing or a search. */
export type ListedItem = Omit<ItemList['items'][number], 'state'> & Pick<ItemView, 'state'>;
export type DeadLetterGroups = z.infer<typeof deadLetterGroupsSchema>;
export type DeadLetterGroup = DeadLetterGroups['groups'][number];
export type DeadLetter = DeadLetterGroup['example'];
export type Redriven = z.infer<typeof redriveAnswerSchema>;
export type Discarded = z.infer<typeof discardAnswerSchema>;

/** The findings and repairs of a sweep. */
export type SweepAnswer = z.infer<typeof sweepAnswerSchema>;

/** One line of a report. */
export interface ReportRow {
  key: string;
  value: unknown;
}

/** The place of an error in an upload. */
export interface UploadFault {
  line: number;
  /** Absent if only the line is known. */
  column?: number | undefined;
  message: string;
}
