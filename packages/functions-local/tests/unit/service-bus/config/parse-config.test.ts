import { expect, test } from 'vitest';
import { parseConfig } from '../../../../src/service-bus/config/parse-config.ts';

function namespace(fields: object): unknown {
  return { UserConfig: { Namespaces: [{ Name: 'test', ...fields }], Logging: { Type: 'File' } } };
}

function subscription(fields: object, rules: object[] = []): unknown {
  return namespace({ Topics: [{ Name: 't', Subscriptions: [{ Name: 's', Properties: fields, Rules: rules }] }] });
}

function rule(properties: object): unknown {
  return subscription({}, [{ Name: 'r', Properties: properties }]);
}

test('every setting is read, and missing ones have their default', () => {
  const config = namespace({
    Queues: [{ Name: 'q' }],
    Topics: [
      {
        Name: 't',
        Properties: {
          DefaultMessageTimeToLive: 'PT1H',
          DuplicateDetectionHistoryTimeWindow: 'PT20S',
          RequiresDuplicateDetection: true,
        },
        Subscriptions: [
          {
            Name: 's',
            Properties: {
              DeadLetteringOnMessageExpiration: true,
              DefaultMessageTimeToLive: 'P10675199DT2H48M5.4775807S',
              LockDuration: 'PT0.5S',
              MaxDeliveryCount: 3,
              ForwardDeadLetteredMessagesTo: '',
              ForwardTo: '',
              RequiresSession: false,
            },
            Rules: [
              { Name: 'sql', Properties: { FilterType: 'Sql', SqlFilter: { SqlExpression: 'a = 1' } } },
              {
                Name: 'same',
                Properties: {
                  FilterType: 'Correlation',
                  CorrelationFilter: { Label: 'l', ContentType: 'c', Properties: { p: 'v' } },
                },
              },
            ],
          },
        ],
      },
    ],
  });

  expect(parseConfig(config)).toEqual({
    queues: [
      {
        name: 'q',
        sendTarget: { defaultTtlMs: undefined, duplicateWindowMs: undefined },
        queue: { defaultTtlMs: undefined, lockMs: 60_000, maxDeliveryCount: 10, deadLetterOnExpiration: false },
      },
    ],
    topics: [
      {
        name: 't',
        sendTarget: { defaultTtlMs: 3_600_000, duplicateWindowMs: 20_000 },
        subscriptions: [
          {
            name: 's',
            queue: { defaultTtlMs: undefined, lockMs: 500, maxDeliveryCount: 3, deadLetterOnExpiration: true },
            rules: [
              { name: 'sql', filter: { kind: 'sql', expression: 'a = 1' } },
              {
                name: 'same',
                filter: {
                  kind: 'correlation',
                  correlation: { system: { label: 'l', contenttype: 'c' }, properties: { p: 'v' } },
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

test('a subscription without rules matches all messages', () => {
  const [topic] = parseConfig(subscription({})).topics;

  expect(topic?.subscriptions[0]?.rules).toEqual([{ name: '$Default', filter: { kind: 'sql', expression: '1=1' } }]);
});

test.for([
  ['no object', 'text', /config: expected an object, got "text"/],
  ['no namespace', { UserConfig: {} }, /Namespaces: expected exactly one namespace/],
  ['an unknown key at the top', { UserConfg: {} }, /config: unknown key UserConfg/],
  [
    'an unknown property',
    subscription({ LockDurtion: 'PT1M' }),
    /Subscriptions\[0\]\.Properties: unknown key LockDurtion/,
  ],
  ['no name', namespace({ Topics: [{}] }), /Topics\[0\]\.Name: expected a non-empty string, got undefined/],
  ['a duplicate name', namespace({ Topics: [{ Name: 'a' }, { Name: 'A' }] }), /the name 'a' is used twice/],
  ['an invalid duration', subscription({ LockDuration: '1m' }), /LockDuration: expected an ISO 8601 duration/],
  ['an empty duration', subscription({ LockDuration: 'PT' }), /LockDuration: expected an ISO 8601 duration/],
  ['a duration of zero', subscription({ LockDuration: 'PT0S' }), /LockDuration: expected a duration above zero/],
  ['a count of zero', subscription({ MaxDeliveryCount: 0 }), /MaxDeliveryCount: expected a whole number of at least 1/],
  ['a flag as text', subscription({ DeadLetteringOnMessageExpiration: 'yes' }), /expected true or false, got "yes"/],
  ['sessions', subscription({ RequiresSession: true }), /RequiresSession: sessions are not supported/],
  ['forwarding', subscription({ ForwardTo: 'x' }), /ForwardTo: forwarding is not supported/],
  ['an unknown filter type', rule({ FilterType: 'SqlFilter' }), /FilterType: expected 'Sql' or 'Correlation'/],
  ['a filter of the other type', rule({ FilterType: 'Sql', CorrelationFilter: {} }), /SqlExpression: expected/],
  [
    'two filters',
    rule({ FilterType: 'Correlation', CorrelationFilter: { To: 'x' }, SqlFilter: {} }),
    /unknown key Sql/,
  ],
  ['a rule action', rule({ FilterType: 'Sql', Action: {} }), /rule actions are not supported/],
  [
    'an unknown correlation field',
    rule({ FilterType: 'Correlation', CorrelationFilter: { Lable: '' } }),
    /unknown key Lable/,
  ],
  [
    'an empty correlation filter',
    rule({ FilterType: 'Correlation' }),
    /Rules\[0\]: Correlation filter: expected at least one property/,
  ],
  ['an invalid expression', rule({ FilterType: 'Sql', SqlFilter: { SqlExpression: 'a =' } }), /Rules\[0\]: SQL filter/],
] as const)('%s is refused', ([, config, message]) => {
  expect(() => parseConfig(config)).toThrow(message);
});
