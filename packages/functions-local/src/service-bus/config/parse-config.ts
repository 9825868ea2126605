import { defaultRule, type Rule } from '../filters/rule.ts';
import { readRule } from './config-rules.ts';
import { checkEntityName } from './entity-name.ts';
import { Fields } from './fields.ts';

/** How messages wait in a queue or subscription. Durations are milliseconds; an undefined one has no limit. */
export interface MailboxSettings {
  readonly defaultTtlMs: number | undefined;
  readonly lockMs: number;
  readonly maxDeliveryCount: number;
  readonly deadLetterOnExpiration: boolean;
}

/** What is set on the sending side of a topic or queue. */
export interface IntakeSettings {
  readonly defaultTtlMs: number | undefined;
  /** Undefined when duplicates are not looked for. */
  readonly duplicateWindowMs: number | undefined;
}

/** A queue as configured. */
export interface QueueDefinition {
  readonly name: string;
  readonly intake: IntakeSettings;
  readonly mailbox: MailboxSettings;
}

/** A subscription as configured. */
export interface SubscriptionDefinition {
  readonly name: string;
  readonly mailbox: MailboxSettings;
  readonly rules: readonly Rule[];
}

/** A topic as configured. */
export interface TopicDefinition {
  readonly name: string;
  readonly intake: IntakeSettings;
  readonly subscriptions: readonly SubscriptionDefinition[];
}

/** All entities of the one namespace. */
export interface NamespaceDefinition {
  readonly queues: readonly QueueDefinition[];
  readonly topics: readonly TopicDefinition[];
}

const DEFAULT_LOCK_MS = 60_000;
const DEFAULT_MAX_DELIVERY_COUNT = 10;
const DEFAULT_DUPLICATE_WINDOW_MS = 10 * 60_000;

function readIntake(fields: Fields, defaultTtlMs: number | undefined): IntakeSettings {
  const windowMs = fields.duration('DuplicateDetectionHistoryTimeWindow') ?? DEFAULT_DUPLICATE_WINDOW_MS;
  return { defaultTtlMs, duplicateWindowMs: fields.flag('RequiresDuplicateDetection') ? windowMs : undefined };
}

function readMailbox(fields: Fields, defaultTtlMs: number | undefined): MailboxSettings {
  fields.refuse('RequiresSession', 'sessions are');
  fields.refuse('ForwardTo', 'forwarding is');
  fields.refuse('ForwardDeadLetteredMessagesTo', 'forwarding is');
  return {
    defaultTtlMs,
    lockMs: fields.duration('LockDuration') ?? DEFAULT_LOCK_MS,
    maxDeliveryCount: fields.count('MaxDeliveryCount', DEFAULT_MAX_DELIVERY_COUNT),
    deadLetterOnExpiration: fields.flag('DeadLetteringOnMessageExpiration'),
  };
}

function readEntity<T>(value: unknown, where: string, read: (entity: Fields, properties: Fields) => T): T {
  const entity = new Fields(value, where);
  const properties = new Fields(entity.take('Properties'), `${where}.Properties`);
  const definition = read(entity, properties);
  properties.end();
  entity.end();
  return definition;
}

function readQueue(value: unknown, where: string): QueueDefinition {
  return readEntity(value, where, (entity, properties) => {
    const defaultTtlMs = properties.duration('DefaultMessageTimeToLive');
    const mailbox = readMailbox(properties, defaultTtlMs);
    const name = checkEntityName(entity.text('Name'), 'queue', where);
    return { name, intake: readIntake(properties, defaultTtlMs), mailbox };
  });
}

function readSubscription(value: unknown, where: string): SubscriptionDefinition {
  return readEntity(value, where, (entity, properties) => {
    const mailbox = readMailbox(properties, properties.duration('DefaultMessageTimeToLive'));
    const rules = entity.list('Rules').map((rule) => readRule(rule.value, rule.where));
    assertDistinct(rules, `${where}.Rules`);
    const name = checkEntityName(entity.text('Name'), 'subscription', where);
    return { name, mailbox, rules: rules.length > 0 ? rules : [defaultRule] };
  });
}

function readTopic(value: unknown, where: string): TopicDefinition {
  return readEntity(value, where, (entity, properties) => {
    const intake = readIntake(properties, properties.duration('DefaultMessageTimeToLive'));
    const subscriptions = entity.list('Subscriptions').map((item) => readSubscription(item.value, item.where));
    assertDistinct(subscriptions, `${where}.Subscriptions`);
    return { name: checkEntityName(entity.text('Name'), 'topic', where), intake, subscriptions };
  });
}

function assertDistinct(items: readonly { name: string }[], where: string): void {
  const names = items.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`${where}: the name '${twice}' stands there twice`);
}

/**
 * Reads the entities from the `config.json` format of Microsoft's emulator. Only the first and only namespace counts;
 * `Logging` is allowed and ignored. Names are compared without case.
 * Throws on an unknown key, a value of the wrong kind, and every feature this broker does not have.
 */
export function parseConfig(config: unknown): NamespaceDefinition {
  const root = new Fields(config, 'config');
  const user = new Fields(root.take('UserConfig'), 'UserConfig');
  root.end();
  user.take('Logging');
  const [first, ...others] = user.list('Namespaces');
  user.end();
  if (!first || others.length > 0) throw new Error('UserConfig.Namespaces: expected exactly one namespace');
  const namespace = new Fields(first.value, first.where);
  namespace.optionalText('Name');
  const queues = namespace.list('Queues').map((queue) => readQueue(queue.value, queue.where));
  const topics = namespace.list('Topics').map((topic) => readTopic(topic.value, topic.where));
  namespace.end();
  assertDistinct([...queues, ...topics], first.where);
  return { queues, topics };
}
