/**
 * Every type of event, with what a subscriber has to know about it. The types of what is published follow from it, and so do
 * the schema of the topic's messages and the reference docs/contract/event-types.md (`npm run generate`).
 */

/** A type of event. The texts are Markdown. */
interface EventType {
  readonly when: string;
  readonly promise: string;
  /** The fields of `details`, with their meaning where the name does not say it. */
  readonly details: Readonly<Record<string, string>>;
  readonly messageId: string;
}

const EVERY_TIME = 'A new one each time.';

export const EVENT_TYPES = {
  QueueWorkDetected: {
    when: 'Messages were put on `queue`, or a parked queue is due (then it is scheduled).',
    promise: 'None: the sweep finds a queue of an open batch whose wake was lost.',
    details: {},
    messageId: 'A new one each time: a wake event that is dropped as a duplicate would be lost.',
  },
  QueueEmpty: {
    when: 'A drain measured its queue empty and released the gate.',
    promise: 'At most once per release.',
    details: { generation: 'the drain', idleCount: '', done: '' },
    messageId: EVERY_TIME,
  },
  ItemsDeadLettered: {
    when: 'The collector has added dead letters from a result message to the ledger: one event per message and batch. For a batch of at most 32 chunks that is collected without a result message: one event per chunk with dead letters.',
    promise: 'At least once, each time with the same id and content.',
    details: { count: '', causes: 'cause → how many' },
    messageId: '`dead-<batch>-<first chunk>`',
  },
  BatchPaused: {
    when: 'An operator paused a batch, or the halt rule of its workload paused it.',
    promise:
      'By `halt`: at least once, each time with the same id, unless the batch ends or is resumed before. By `operator`: at most once per request. If the topic is unreachable, the pause succeeds but the event is lost; a repetition of the request publishes it again.',
    details: { by: '`operator` or `halt`', reason: '', revision: '' },
    messageId: '`paused-<batch>-<revision>-<resumes before>`',
  },
  BatchResumed: {
    when: 'An operator resumed a batch.',
    promise: 'At least once, each time with the same id, unless the batch is paused again or ends before.',
    details: { revision: '', pausedSeconds: 'the total time that the revision was paused so far' },
    messageId: '`resumed-<batch>-<revision>-<resumes>`',
  },
  DeadlineAtRisk: {
    when: 'A revision is likely to miss its deadline, or no chunk of it is running and no sweep is due before its deadline.',
    promise:
      'At least once per revision that is found at risk, each time with the same id, unless it ends or is cancelled before.',
    details: { deadlineAt: '', expectedAt: 'or null', ended: 'items that have ended', items: '', revision: '' },
    messageId: '`at-risk-<batch>-<revision>`',
  },
  ResultsReady: {
    when: 'Only for a workload with the option [`resultsReady`](../workloads.md#options): a collecting transaction has finished chunks that have results. One event per transaction, with at most 98 chunks.',
    promise: 'At least once per chunk: after a crash, a chunk may appear again, together with others.',
    details: { chunks: 'their ids', succeeded: '', dead: '', revision: '' },
    messageId: '`results-<batch>-<hash of the chunks>`',
  },
  BatchCompleted: {
    when: 'A revision of a batch is finished.',
    promise: 'At least once, each time with the same id.',
    details: { state: '', counts: 'how many items had which outcome', revision: '' },
    messageId: '`completed-<batch>-<revision>`',
  },
  InboxRejected: {
    when: 'A file of the inbox was rejected.',
    promise: 'At least once, each time with the same id.',
    details: { name: 'of the blob in `inbox-rejected`', type: 'of the problem', status: '', detail: 'of the problem' },
    messageId: "`rejected-<hash of the file's name and ETag>`",
  },
} as const satisfies Readonly<Record<string, EventType>>;

export type EventName = keyof typeof EVENT_TYPES;

/** What `details` of a published event contains: all of the declared fields. */
export type DetailsOf<T extends EventName> = Readonly<Record<keyof (typeof EVENT_TYPES)[T]['details'], unknown>>;
