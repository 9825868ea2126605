import type { ServiceBusRuleManager } from '@azure/service-bus';
import { expect, test } from 'vitest';
import { connect, expectBodies, receiverOf, sqlRule, startBroker, topicConfig } from './helpers.ts';

async function ruleNames(manager: ServiceBusRuleManager): Promise<string[]> {
  const names: string[] = [];
  for await (const rule of manager.listRules()) if (rule) names.push(rule.name);
  return names;
}

test('subscriptions receive the messages that match a rule, once even if several rules match', async () => {
  const correlation = { FilterType: 'Correlation', CorrelationFilter: { Label: 'red', Properties: { size: 2 } } };
  const bus = await startBroker({
    config: topicConfig({
      all: {},
      sql: { Rules: [sqlRule('red', "sys.Label = 'red'"), sqlRule('large', 'size > 1')] },
      correlated: { Rules: [{ Name: 'both', Properties: correlation }] },
    }),
  });
  const client = connect(bus.connectionString);

  await client.createSender('events').sendMessages([
    { body: 'red 2', subject: 'red', applicationProperties: { size: 2 } },
    { body: 'red 1', subject: 'red', applicationProperties: { size: 1 } },
    { body: 'blue 1', subject: 'blue', applicationProperties: { size: 1 } },
  ]);

  await expectBodies(receiverOf(client, 'all'), ['red 2', 'red 1', 'blue 1']);
  await expectBodies(receiverOf(client, 'sql'), ['red 2', 'red 1']);
  await expectBodies(receiverOf(client, 'correlated'), ['red 2']);
});

test('the filter of a scheduled message is applied when it is due', async () => {
  const bus = await startBroker({ config: topicConfig({ red: { Rules: [sqlRule('red', "colour = 'red'")] } }) });
  const client = connect(bus.connectionString);
  const due = new Date(Date.now() + 50);

  await client.createSender('events').scheduleMessages(
    [
      { body: 1, applicationProperties: { colour: 'red' } },
      { body: 2, applicationProperties: { colour: 'blue' } },
    ],
    due,
  );

  await expectBodies(receiverOf(client, 'red'), [1]);
});

test('rules can be listed, added and removed', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);
  const manager = client.createRuleManager('events', 'all');

  expect(await ruleNames(manager)).toEqual(['$Default']);
  await manager.createRule('red', { sqlExpression: "colour = 'red'" });
  await manager.createRule('tall', { subject: 'tall', applicationProperties: { metres: 3 } });
  await manager.deleteRule('$Default');

  const rules = [];
  for await (const rule of manager.listRules()) rules.push(rule);
  expect(rules.map(({ name }) => name)).toEqual(['red', 'tall']);
  expect(rules[0]?.filter).toEqual({ sqlExpression: "colour = 'red'" });
  expect(rules[1]?.filter).toMatchObject({ subject: 'tall', applicationProperties: { metres: 3 } });
  await client.createSender('events').sendMessages([
    { body: 'red', applicationProperties: { colour: 'red' } },
    { body: 'blue', applicationProperties: { colour: 'blue' } },
    { body: 'tall', subject: 'tall', applicationProperties: { metres: 3 } },
  ]);
  await expectBodies(receiverOf(client, 'all'), ['red', 'tall']);
});

test('a subscription without rules receives no messages', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const client = connect(bus.connectionString);
  const manager = client.createRuleManager('events', 'all');

  await manager.deleteRule('$Default');
  await client.createSender('events').sendMessages({ body: 'lost' });

  expect(await ruleNames(manager)).toEqual([]);
  expect(bus.counts()['events/Subscriptions/all']?.active).toBe(0);
});

test('invalid rules are refused with the reason', async () => {
  const bus = await startBroker({ config: topicConfig({ all: {} }) });
  const manager = connect(bus.connectionString).createRuleManager('events', 'all');

  await expect(manager.createRule('$Default', { sqlExpression: '1=1' })).rejects.toMatchObject({
    code: 'MessagingEntityAlreadyExists',
  });
  await expect(manager.deleteRule('none')).rejects.toMatchObject({ code: 'MessagingEntityNotFound' });
  await expect(manager.createRule('bad', { sqlExpression: 'size >' })).rejects.toThrow(
    /expected a property or a value/,
  );
  await expect(manager.createRule('act', { sqlExpression: '1=1' }, { sqlExpression: 'SET a = 1' })).rejects.toThrow(
    /A rule action is not supported/,
  );
});
