/** A subscription as in the emulator's `config.json`. */
interface Subscription {
  Name: string;
  Properties: Record<string, unknown>;
  Rules: { Name: string; Properties: Record<string, unknown> }[];
}

const TOPIC = 'sluice-events';
/** The same values as in a deployment: infra/modules/service-bus.bicep explains each. */
const WAKE_PROPERTIES = {
  DefaultMessageTimeToLive: 'PT1H',
  LockDuration: 'PT1M',
  MaxDeliveryCount: 10,
  DeadLetteringOnMessageExpiration: true,
};

/**
 * Creates the Service Bus entities of an app with these workloads, in the format of the official emulator's
 * `config.json`: `wake` for an app that runs all pools, one more for each separate pool, `completions` as an example of
 * a subscription for users, and those of `filters`, which contains SQL filters by name.
 */
export function entities(
  registry: { workloads: readonly { pool: string }[] },
  filters: Readonly<Record<string, string>> = {},
): unknown {
  const own = { completions: "type = 'BatchCompleted'", ...filters };
  const pools = [...new Set(registry.workloads.map(({ pool }) => pool))].filter((pool) => pool !== 'default');
  const topic = {
    Name: TOPIC,
    Properties: {
      DefaultMessageTimeToLive: 'P14D',
      RequiresDuplicateDetection: true,
      DuplicateDetectionHistoryTimeWindow: 'PT10M',
    },
    Subscriptions: [
      wake('wake', {}),
      ...pools.map((pool) => wake(`wake-${pool}`, { pool })),
      ...Object.entries(own).map(([name, filter]) => subscriber(name, filter)),
    ],
  };
  return {
    UserConfig: { Namespaces: [{ Name: 'sluice', Queues: [], Topics: [topic] }], Logging: { Type: 'Console' } },
  };
}

function wake(name: string, filter: Record<string, string>): Subscription {
  const CorrelationFilter = { Properties: { type: 'QueueWorkDetected', ...filter } };
  const rule = { Name: 'queue-work-detected', Properties: { FilterType: 'Correlation', CorrelationFilter } };
  return { Name: name, Properties: WAKE_PROPERTIES, Rules: [rule] };
}

function subscriber(name: string, filter: string): Subscription {
  const SqlFilter = { SqlExpression: filter };
  return {
    Name: name,
    Properties: { ...WAKE_PROPERTIES, DefaultMessageTimeToLive: 'P1D', DeadLetteringOnMessageExpiration: false },
    Rules: [{ Name: 'filter', Properties: { FilterType: 'Sql', SqlFilter } }],
  };
}
