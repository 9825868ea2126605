/**
 * What subscribers of events, producers of messages and readers of outcomes import as `sluice/contract`. Everything here
 * follows the versions of the contract: a field is only ever added.
 */
export { eventSchema, type InboxRejectedEvent, type QueueEvent, readEvent, type SluiceEvent } from './events.ts';
export {
  type DeadItem,
  deadItemSchema,
  type OutcomeHeader,
  outcomeHeaderSchema,
  type RetryItem,
} from './outcome.ts';
export {
  type BlobReference,
  blobReferenceSchema,
  type Reference,
  type ResultMessage,
  readReference,
  referenceSchema,
  resultSchema,
} from './reference.ts';
