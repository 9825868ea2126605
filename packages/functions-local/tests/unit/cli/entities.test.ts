import { describe, expect, it } from 'vitest';
import { deriveEntities, findMissingEntities, findTriggerSources, listEntities } from '../../../src/cli/entities.ts';
import type { InspectedFunction } from '../../../src/cli/inspection.ts';
import { parseConfig } from '../../../src/service-bus/config/parse-config.ts';

type Source = NonNullable<InspectedFunction['serviceBus']>['source'];

const onEmulator = (name: string, source: Source): InspectedFunction => ({
  name,
  state: 'served',
  serviceBus: { connectionString: 'UseDevelopmentEmulator=true', source },
});

const FUNCTIONS = [
  onEmulator('first', { queue: 'orders' }),
  onEmulator('second', { queue: 'Orders' }),
  onEmulator('billing', { topic: 'paid', subscription: 'billing' }),
  onEmulator('mails', { topic: 'PAID', subscription: 'mails' }),
];

describe('the entities of an app', () => {
  it('are the queues and subscriptions of its triggers, each once', () => {
    const namespace = parseConfig(deriveEntities(findTriggerSources(FUNCTIONS)));
    expect(listEntities(namespace)).toEqual(['queue orders', 'topic paid (billing, mails)']);
    expect(findMissingEntities(findTriggerSources(FUNCTIONS), namespace)).toEqual([]);
  });

  it('do not include functions without a Service Bus trigger and those of a real namespace', () => {
    const connectionString = 'Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=v';
    const functions: InspectedFunction[] = [
      { name: 'hello', state: 'served' },
      { name: 'real', state: 'served', serviceBus: { connectionString, source: { queue: 'orders' } } },
    ];
    expect(listEntities(parseConfig(deriveEntities(findTriggerSources(functions))))).toEqual([]);
  });
});

describe('findMissingEntities', () => {
  it('reports each trigger whose queue or subscription does not exist', () => {
    const namespace = parseConfig({
      UserConfig: { Namespaces: [{ Name: 'n', Topics: [{ Name: 'Paid', Subscriptions: [{ Name: 'Mails' }] }] }] },
    });
    expect(findMissingEntities(findTriggerSources(FUNCTIONS), namespace)).toEqual([
      "function 'first': queue 'orders' does not exist",
      "function 'second': queue 'Orders' does not exist",
      "function 'billing': subscription 'billing' of topic 'paid' does not exist",
    ]);
  });
});
