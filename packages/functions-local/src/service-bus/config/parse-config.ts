import { defaultRule, type Rule } from '../filters/rule.ts';
import { readRule } from './config-rules.ts';
import { checkEntityName } from './entity-name.ts';
import { Fields } from './fields.ts';

/** Settings of a queue or subscription for receiving. Durations are in milliseconds; undefined means no limit. */
export interface QueueSettings {
  readonly defaultTtlMs: number | undefined;
  readonly lockMs: number;
  readonly maxDeliveryCount: number;
  readonly deadLetterOnExpiration: boolean;
}

/** Settings of a topic or queue for sending. */
export interface SendTargetSettings {
  readonly defaultTtlMs: number | undefined;
  /** Undefined if duplicate detection is off. */
  readonly duplicateWindowMs: number | undefined;
}

/** A queue as configured. */
export interface QueueDefinition {
  readonly name: string;
  readonly sendTarget: SendTargetSettings;
  readonly queue: QueueSettings;
}

/** A subscription as configured. */
export interface SubscriptionDefinition {
  readonly name: string;
  readonly queue: QueueSettings;
  readonly rules: readonly Rule[];
}

/** A topic as configured. */
export interface TopicDefinition {
  readonly name: string;
  readonly sendTarget: SendTargetSettings;
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

function readSendTargetSettings(fields: Fields, defaultTtlMs: number | undefined): SendTargetSettings {
  const windowMs = fields.duration('DuplicateDetectionHistoryTimeWindow') ?? DEFAULT_DUPLICATE_WINDOW_MS;
  return { defaultTtlMs, duplicateWindowMs: fields.flag('RequiresDuplicateDetection') ? windowMs : undefined };
}

function readQueueSettings(fields: Fields, defaultTtlMs: number | undefined): QueueSettings {
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
    const queue = readQueueSettings(properties, defaultTtlMs);
    const name = checkEntityName(entity.text('Name'), 'queue', where);
    return { name, sendTarget: readSendTargetSettings(properties, defaultTtlMs), queue };
  });
}

function readSubscription(value: unknown, where: string): SubscriptionDefinition {
  return readEntity(value, where, (entity, properties) => {
    const queue = readQueueSettings(properties, properties.duration('DefaultMessageTimeToLive'));
    const rules = entity.list('Rules').map((rule) => readRule(rule.value, rule.where));
    assertDistinct(rules, `${where}.Rules`);
    const name = checkEntityName(entity.text('Name'), 'subscription', where);
    return { name, queue, rules: rules.length > 0 ? rules : [defaultRule] };
  });
}

function readTopic(value: unknown, where: string): TopicDefinition {
  return readEntity(value, where, (entity, properties) => {
    const sendTarget = readSendTargetSettings(properties, properties.duration('DefaultMessageTimeToLive'));
    const subscriptions = entity.list('Subscriptions').map((item) => readSubscription(item.value, item.where));
    assertDistinct(subscriptions, `${where}.Subscriptions`);
    return { name: checkEntityName(entity.text('Name'), 'topic', where), sendTarget, subscriptions };
  });
}

function assertDistinct(items: readonly { name: string }[], where: string): void {
  const names = items.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`${where}: the name '${twice}' is used twice`);
}

/**
 * Reads the entities from the `config.json` format of Microsoft's emulator, which must have exactly one namespace. `Logging`
 * is ignored. Names are compared without case. Throws on an unknown key, on a value of the wrong type, and on every feature
 * that this broker does not support.
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
