/** The answers of the API, by the table of routes, and their parts. */
import type { AnswerOf } from '../../shared/client/index.ts';

export type Audit = AnswerOf<'GET audit'>;
export type AuditEntry = Audit['entries'][number];
export type BatchList = AnswerOf<'GET batches'>;
export type BatchEntry = BatchList['batches'][number];
export type BatchView = AnswerOf<'GET batches/{id}'>;
export type BatchReceipt = BatchView['receipt'];
export type CancelAnswer = AnswerOf<'POST batches/{id}/cancel'>;
export type ClearedQueue = AnswerOf<'POST queues/{queue}/clear'>;
export type Cost = AnswerOf<'GET cost'>;
export type CostPeriod = Cost['day'];
export type DeadLetterGroups = Extract<AnswerOf<'GET batches/{id}/dead-letters'>, { groups: unknown }>;
export type DeadLetterGroup = DeadLetterGroups['groups'][number];
export type DeadLetter = DeadLetterGroup['example'];
export type DeadLettersOfBatches = AnswerOf<'GET dead-letters'>;
export type FoundItems = Extract<AnswerOf<'GET batches/{id}/items'>, { positions: unknown }>;
export type History = AnswerOf<'GET history'>;
export type HistoryDay = History['days'][number];
export type InboxFile = AnswerOf<'GET inbox'>['files'][number];
export type ItemView = AnswerOf<'GET batches/{id}/items/{position}'>;
export type ItemState = ItemView['state'];
export type ListedItem = Omit<Exclude<AnswerOf<'GET batches/{id}/items'>, FoundItems>['items'][number], 'state'> &
  Pick<ItemView, 'state'>;
export type Note = BatchView['notes'][number];
export type Overview = AnswerOf<'GET overview'>;
export type BatchNotices = Overview['late'];
export type BatchNotice = BatchNotices['batches'][number];
export type QueueDetails = AnswerOf<'GET queues/{queue}'>;
export type QueueView = AnswerOf<'GET queues'>['queues'][number];
export type WaveView = QueueDetails['waves'][number];
export type PolicyView = QueueDetails['policy'];
export type SweepAnswer = AnswerOf<'POST sweep'>;
export type UploadCheck = AnswerOf<'POST workloads/{workload}/try'>;
