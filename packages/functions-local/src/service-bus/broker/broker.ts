import type {
  MailboxSettings,
  NamespaceDefinition,
  QueueDefinition,
  SubscriptionDefinition,
  TopicDefinition,
} from '../config/parse-config.ts';
import { entityNotFound } from '../errors.ts';
import type { FilterSubject } from '../filters/subject.ts';
import { Alarm } from './alarm.ts';
import { Intake } from './intake.ts';
import { Mailbox } from './mailbox.ts';
import { RuleSet } from './rule-set.ts';
import type { Store } from './store.ts';
import type { Draft, StoredMessage } from './stored-message.ts';

/** How many messages an entity holds; locked ones are active. */
export interface EntityCounts {
  readonly active: number;
  readonly scheduled: number;
  readonly deadLetter: number;
}

/** What a broker needs; `now` is in milliseconds since 1970, default the machine's clock. */
export interface BrokerOptions {
  readonly definition: NamespaceDefinition;
  readonly store: Store;
  readonly now: (() => number) | undefined;
}

/** All entities of the namespace, found by address without regard to case. */
export class Broker {
  readonly now: () => number;
  readonly #store: Store;
  readonly #alarm: Alarm;
  readonly #intakes = new Map<string, Intake>();
  readonly #mailboxes = new Map<string, Mailbox>();
  readonly #rules = new Map<string, RuleSet>();
  #awake = false;

  /** Builds the entities and reads back what the store has of them. */
  constructor({ definition, store, now }: BrokerOptions) {
    this.now = now ?? Date.now;
    this.#store = store;
    this.#alarm = new Alarm(now, () => this.#advance());
    for (const queue of definition.queues) this.#addQueue(queue);
    for (const topic of definition.topics) this.#addTopic(topic);
    this.#advance();
  }

  /** Where messages for an address are sent. Throws not-found. */
  intake(path: string): Intake {
    return found(this.#intakes, path);
  }

  /** Where messages of an address are received. Throws not-found. */
  mailbox(path: string): Mailbox {
    return found(this.#mailboxes, path);
  }

  /** The rules of a subscription. Throws not-found. */
  rules(path: string): RuleSet {
    return found(this.#rules, path);
  }

  /** Throws not-found unless there is an entity with this address, for sending or for receiving. */
  require(path: string): void {
    if (!this.#intakes.has(path.toLowerCase())) this.mailbox(path);
  }

  /** Messages of an entity from a sequence number on, scheduled ones of a queue included. Throws not-found. */
  peek(path: string, fromSequence: number, count: number): StoredMessage[] {
    const scheduled = this.#intakes.get(path.toLowerCase())?.schedule.messages() ?? [];
    const later = [...this.mailbox(path).messages(), ...scheduled].filter(({ sequence }) => sequence >= fromSequence);
    return later.sort((a, b) => a.sequence - b.sequence).slice(0, count);
  }

  /** Gives messages out soon, and asks to be called when scheduled ones are due. Call it after every change. */
  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    // Once for all changes of a commit: each of them comes here.
    queueMicrotask(() => {
      this.#awake = false;
      for (const { schedule } of this.#intakes.values()) this.#alarm.at(schedule.earliest);
      for (const mailbox of this.#mailboxes.values()) mailbox.pump();
    });
  }

  /** Counts by the configured path; dead-letter queues are counted with their entity. */
  counts(): Record<string, EntityCounts> {
    const counts: Record<string, EntityCounts> = {};
    for (const { path, schedule } of this.#intakes.values()) {
      counts[path] = { active: 0, scheduled: schedule.size, deadLetter: 0 };
    }
    for (const { path, size, deadLetters } of this.#mailboxes.values()) {
      const scheduled = counts[path]?.scheduled ?? 0;
      if (deadLetters) counts[path] = { active: size, scheduled, deadLetter: deadLetters.size };
    }
    return counts;
  }

  /** Stops the clockwork. */
  close(): void {
    this.#alarm.stop();
  }

  #advance(): void {
    const now = this.now();
    for (const intake of this.#intakes.values()) {
      intake.routeDue(now);
      this.#alarm.at(intake.schedule.earliest);
    }
    for (const mailbox of this.#mailboxes.values()) mailbox.advance();
    for (const mailbox of this.#mailboxes.values()) mailbox.pump();
  }

  #addQueue({ name, intake, mailbox }: QueueDefinition): void {
    const target = this.#addMailbox(name, mailbox, true);
    this.#addIntake(
      new Intake({ path: name, settings: intake, store: this.#store, route: (draft) => target.add(draft) }),
    );
  }

  #addTopic({ name, intake, subscriptions }: TopicDefinition): void {
    const targets = subscriptions.map((subscription) => this.#addSubscription(name, subscription));
    const route = (draft: Draft, subject: FilterSubject) => {
      for (const { rules, mailbox } of targets) if (rules.matches(subject)) mailbox.add(draft);
    };
    this.#addIntake(new Intake({ path: name, settings: intake, store: this.#store, route }));
  }

  #addSubscription(topic: string, { name, mailbox, rules }: SubscriptionDefinition) {
    const path = `${topic}/Subscriptions/${name}`;
    const ruleSet = new RuleSet(path.toLowerCase(), rules, this.#store);
    this.#rules.set(path.toLowerCase(), ruleSet);
    return { rules: ruleSet, mailbox: this.#addMailbox(path, mailbox, false) };
  }

  #addIntake(intake: Intake): void {
    this.#intakes.set(intake.path.toLowerCase(), intake);
  }

  #addMailbox(path: string, settings: MailboxSettings, keepsSequence: boolean): Mailbox {
    const shared = { store: this.#store, now: this.now, wakeAt: (time: number) => this.#alarm.at(time) };
    const deadSettings = { ...settings, defaultTtlMs: undefined, deadLetterOnExpiration: false };
    const deadLetters = new Mailbox({ ...shared, path: `${path}/$DeadLetterQueue`, settings: deadSettings });
    const mailbox = new Mailbox({ ...shared, path, settings, deadLetters, keepsSequence });
    for (const each of [mailbox, deadLetters]) this.#mailboxes.set(each.path.toLowerCase(), each);
    return mailbox;
  }
}

function found<T>(entities: ReadonlyMap<string, T>, path: string): T {
  const entity = entities.get(path.toLowerCase());
  if (!entity) throw entityNotFound(path);
  return entity;
}
