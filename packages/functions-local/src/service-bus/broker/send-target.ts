import type { SendTargetSettings } from '../config/parse-config.ts';
import type { FilterSubject } from '../filters/subject.ts';
import { type IncomingMessage, readSubject } from '../wire/incoming-message.ts';
import { DuplicateHistory } from './duplicates.ts';
import { Schedule } from './schedule.ts';
import type { Store } from './store.ts';
import type { Draft } from './stored-message.ts';

/** Options of a send target. */
export interface SendTargetOptions {
  /** The name from the configuration. */
  readonly path: string;
  readonly settings: SendTargetSettings;
  readonly store: Store;
  /** Adds a message to the queue, or to all subscriptions whose rules match. */
  readonly route: (draft: Draft, subject: FilterSubject) => void;
}

/** The side of a topic or queue that receives messages from senders. */
export class SendTarget {
  readonly path: string;
  readonly schedule: Schedule;
  readonly #settings: SendTargetSettings;
  readonly #store: Store;
  readonly #route: (draft: Draft, subject: FilterSubject) => void;
  readonly #duplicates: DuplicateHistory | undefined;

  constructor({ path, settings, store, route }: SendTargetOptions) {
    this.path = path;
    this.#settings = settings;
    this.#store = store;
    this.#route = route;
    const entity = path.toLowerCase();
    const windowMs = settings.duplicateWindowMs;
    this.schedule = new Schedule(`${entity}/$scheduled`, store);
    this.#duplicates = windowMs === undefined ? undefined : new DuplicateHistory(entity, windowMs, store);
  }

  /** Stores messages. Returns their sequence numbers; that of a duplicate is the number of the original message. */
  accept(messages: readonly IncomingMessage[], now: number): number[] {
    return messages.map((message) => this.#acceptOne(message, now));
  }

  /** Enqueues scheduled messages that are due. */
  routeDue(now: number): void {
    for (const message of this.schedule.takeDue(now)) {
      const sequence = this.#nextSequence();
      // The time to live starts at the due time, even if the broker was not running then.
      const enqueuedAt = message.dueAt ?? now;
      const draft = { ...message, sequence, enqueuedSequence: sequence, enqueuedAt, dueAt: undefined };
      this.#route(draft, readSubject(message.bare));
    }
  }

  #acceptOne(message: IncomingMessage, now: number): number {
    const first = this.#duplicates?.find(message.messageId, now);
    if (first !== undefined) return first;
    const sequence = this.#nextSequence();
    this.#duplicates?.remember(message.messageId, sequence, now);
    const draft = this.#draft(message, sequence, now);
    if (draft.dueAt === undefined) this.#route(draft, message.subject);
    else this.schedule.add(draft);
    return sequence;
  }

  #draft(message: IncomingMessage, sequence: number, now: number): Draft {
    const { annotations, bare, scheduledAt, ttlMs, durable, priority } = message;
    const dueAt = scheduledAt !== undefined && scheduledAt > now ? scheduledAt : undefined;
    const limited = Math.min(
      ttlMs ?? Number.POSITIVE_INFINITY,
      this.#settings.defaultTtlMs ?? Number.POSITIVE_INFINITY,
    );
    return {
      sequence,
      enqueuedSequence: sequence,
      enqueuedAt: now,
      dueAt,
      ttlMs: Number.isFinite(limited) ? limited : undefined,
      durable,
      priority,
      annotations,
      bare,
    };
  }

  #nextSequence(): number {
    return this.#store.nextSequence(this.path.toLowerCase());
  }
}
