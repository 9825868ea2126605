import type { ServiceBusTrigger } from '../host/service-bus/service-bus-trigger.ts';
import type { NamespaceDefinition } from '../service-bus/config/parse-config.ts';
import { isEmulatorConnection } from './embedded.ts';
import type { InspectedFunction } from './inspection.ts';

/** A queue or subscription that triggers a function. */
export type TriggerSource = { functionName: string } & ServiceBusTrigger['source'];

/** Returns the trigger sources on the embedded broker. Those of a real namespace are omitted. */
export function findTriggerSources(functions: readonly InspectedFunction[]): TriggerSource[] {
  return functions.flatMap(({ name, serviceBus }) =>
    serviceBus && isEmulatorConnection(serviceBus.connectionString)
      ? [{ functionName: name, ...serviceBus.source }]
      : [],
  );
}

const isSame = (left: string) => (right: { name: string }) => left.toLowerCase() === right.name.toLowerCase();

/** Derives the entities for the triggers, in the format of the official emulator's config.json, with its defaults. */
export function deriveEntities(sources: readonly TriggerSource[]): unknown {
  const queues: { Name: string }[] = [];
  const topics: { Name: string; Subscriptions: { Name: string }[] }[] = [];
  const add = <T extends { Name: string }>(list: T[], entity: T): T => {
    const known = list.find(({ Name }) => isSame(Name)({ name: entity.Name }));
    if (!known) list.push(entity);
    return known ?? entity;
  };
  for (const source of sources) {
    if ('queue' in source) add(queues, { Name: source.queue });
    else add(add(topics, { Name: source.topic, Subscriptions: [] }).Subscriptions, { Name: source.subscription });
  }
  return { UserConfig: { Namespaces: [{ Name: 'functions-local', Queues: queues, Topics: topics }] } };
}

/** Returns a line for each trigger whose queue or subscription does not exist. */
export function findMissingEntities(sources: readonly TriggerSource[], namespace: NamespaceDefinition): string[] {
  const problems = sources.map((source) => {
    const { functionName } = source;
    if ('queue' in source) {
      const exists = namespace.queues.some(isSame(source.queue));
      return exists ? undefined : `function '${functionName}': queue '${source.queue}' does not exist`;
    }
    const topic = namespace.topics.find(isSame(source.topic));
    const path = `'${source.subscription}' of topic '${source.topic}'`;
    const exists = topic?.subscriptions.some(isSame(source.subscription));
    return exists ? undefined : `function '${functionName}': subscription ${path} does not exist`;
  });
  return problems.filter((problem) => problem !== undefined);
}

/** Lists the entities of a namespace for the console. */
export function listEntities({ queues, topics }: NamespaceDefinition): string[] {
  return [
    ...queues.map(({ name }) => `queue ${name}`),
    ...topics.map(({ name, subscriptions }) =>
      subscriptions.length === 0
        ? `topic ${name}`
        : `topic ${name} (${subscriptions.map((one) => one.name).join(', ')})`,
    ),
  ];
}
