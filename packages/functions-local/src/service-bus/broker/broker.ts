import type {
  NamespaceDefinition,
  QueueDefinition,
  QueueSettings,
  SubscriptionDefinition,
  TopicDefinition,
} from '../config/parse-config.ts';
import { entityNotFound } from '../errors.ts';
import type { FilterSubject } from '../filters/subject.ts';
import { Alarm } from './alarm.ts';
import { MessageQueue } from './message-queue.ts';
import { RuleSet } from './rule-set.ts';
import { SendTarget } from './send-target.ts';
import type { Store } from './store.ts';
import type { Draft, StoredMessage } from './stored-message.ts';

/** The numbers of messages of an entity. Locked messages count as active. */
export interface EntityCounts {
  readonly active: number;
  readonly scheduled: number;
  readonly deadLetter: number;
}

/** Options of a broker. `now` is in milliseconds since 1970 and defaults to the machine's clock. */
export interface BrokerOptions {
  readonly definition: NamespaceDefinition;
  readonly store: Store;
  readonly now: (() => number) | undefined;
}

/** All entities of the namespace. Addresses are compared without case. */
export class Broker {
  readonly now: () => number;
  readonly #store: Store;
  readonly #alarm: Alarm;
  readonly #sendTargets = new Map<string, SendTarget>();
  readonly #queues = new Map<string, MessageQueue>();
  readonly #rules = new Map<string, RuleSet>();
  #awake = false;

  /** Creates the entities and loads their messages from the store. */
  constructor({ definition, store, now }: BrokerOptions) {
    this.now = now ?? Date.now;
    this.#store = store;
    this.#alarm = new Alarm(now, () => this.#processDue());
    for (const queue of definition.queues) this.#addQueue(queue);
    for (const topic of definition.topics) this.#addTopic(topic);
    this.#processDue();
  }

  /** Returns the send target of an address. Throws not-found. */
  sendTarget(path: string): SendTarget {
    return found(this.#sendTargets, path);
  }

  /** Returns the queue from which messages of an address are received. Throws not-found. */
  queue(path: string): MessageQueue {
    return found(this.#queues, path);
  }

  /** Returns the rules of a subscription. Throws not-found. */
  rules(path: string): RuleSet {
    return found(this.#rules, path);
  }

  /** Throws not-found unless an entity has this address, for sending or for receiving. */
  require(path: string): void {
    if (!this.#sendTargets.has(path.toLowerCase())) this.queue(path);
  }

  /** Returns the messages of an entity from a sequence number on, including the scheduled ones of a queue. Throws not-found. */
  peek(path: string, fromSequence: number, count: number): StoredMessage[] {
    const scheduled = this.#sendTargets.get(path.toLowerCase())?.schedule.messages() ?? [];
    const later = [...this.queue(path).messages(), ...scheduled].filter(({ sequence }) => sequence >= fromSequence);
    return later.sort((a, b) => a.sequence - b.sequence).slice(0, count);
  }

  /** Dispatches messages soon, and sets the alarm for scheduled ones. Must be called after every change. */
  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    // Each change of a commit calls this function. One dispatch is enough for all of them.
    queueMicrotask(() => {
      this.#awake = false;
      for (const { schedule } of this.#sendTargets.values()) this.#alarm.at(schedule.earliest);
      for (const queue of this.#queues.values()) queue.dispatch();
    });
  }

  /** Returns the counts by configured path. Messages of a dead-letter queue are counted with its entity. */
  counts(): Record<string, EntityCounts> {
    const counts: Record<string, EntityCounts> = {};
    for (const { path, schedule } of this.#sendTargets.values()) {
      counts[path] = { active: 0, scheduled: schedule.size, deadLetter: 0 };
    }
    for (const { path, size, deadLetters } of this.#queues.values()) {
      const scheduled = counts[path]?.scheduled ?? 0;
      if (deadLetters) counts[path] = { active: size, scheduled, deadLetter: deadLetters.size };
    }
    return counts;
  }

  /** Stops the timer. */
  close(): void {
    this.#alarm.stop();
  }

  #processDue(): void {
    const now = this.now();
    for (const sendTarget of this.#sendTargets.values()) {
      sendTarget.routeDue(now);
      this.#alarm.at(sendTarget.schedule.earliest);
    }
    for (const queue of this.#queues.values()) queue.processExpirations();
    for (const queue of this.#queues.values()) queue.dispatch();
  }

  #addQueue({ name, sendTarget, queue }: QueueDefinition): void {
    const target = this.#addMessageQueue(name, queue, true);
    this.#addSendTarget(
      new SendTarget({ path: name, settings: sendTarget, store: this.#store, route: (draft) => target.add(draft) }),
    );
  }

  #addTopic({ name, sendTarget, subscriptions }: TopicDefinition): void {
    const targets = subscriptions.map((subscription) => this.#addSubscription(name, subscription));
    const route = (draft: Draft, subject: FilterSubject) => {
      for (const { rules, queue } of targets) if (rules.matches(subject)) queue.add(draft);
    };
    this.#addSendTarget(new SendTarget({ path: name, settings: sendTarget, store: this.#store, route }));
  }

  #addSubscription(topic: string, { name, queue, rules }: SubscriptionDefinition) {
    const path = `${topic}/Subscriptions/${name}`;
    const ruleSet = new RuleSet(path.toLowerCase(), rules, this.#store);
    this.#rules.set(path.toLowerCase(), ruleSet);
    return { rules: ruleSet, queue: this.#addMessageQueue(path, queue, false) };
  }

  #addSendTarget(sendTarget: SendTarget): void {
    this.#sendTargets.set(sendTarget.path.toLowerCase(), sendTarget);
  }

  #addMessageQueue(path: string, settings: QueueSettings, keepsSequence: boolean): MessageQueue {
    const shared = { store: this.#store, now: this.now, wakeAt: (time: number) => this.#alarm.at(time) };
    const deadSettings = { ...settings, defaultTtlMs: undefined, deadLetterOnExpiration: false };
    const deadLetters = new MessageQueue({ ...shared, path: `${path}/$DeadLetterQueue`, settings: deadSettings });
    const queue = new MessageQueue({ ...shared, path, settings, deadLetters, keepsSequence });
    for (const each of [queue, deadLetters]) this.#queues.set(each.path.toLowerCase(), each);
    return queue;
  }
}

function found<T>(entities: ReadonlyMap<string, T>, path: string): T {
  const entity = entities.get(path.toLowerCase());
  if (!entity) throw entityNotFound(path);
  return entity;
}
