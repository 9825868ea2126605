/** The Service Bus entities of a fault stack: those of a deployment that wake events need. */

const PROPERTIES = { DefaultMessageTimeToLive: 'PT1H', LockDuration: 'PT30S', MaxDeliveryCount: 1_000 };
const WAKES = "type = 'QueueWorkDetected'";

/** The application property of a wake event that has passed the relay. */
export const RELAYED = 'relayed';
/** Subscriptions: the app's without a relay; the one that a relay reads; the one that the app reads behind a relay. */
export const SUBSCRIPTIONS = { wake: 'wake', published: 'published', relayed: 'relayed' } as const;
export const TOPIC = 'sluice-events';

/** Entities without a relay: every wake event reaches the app as published. */
export const directEntities = (): unknown => entities([subscription(SUBSCRIPTIONS.wake, WAKES)]);

/** Entities with a relay: the app receives only the events that the relay passes on. */
export const relayedEntities = (): unknown =>
  entities([
    subscription(SUBSCRIPTIONS.published, `${WAKES} AND ${RELAYED} IS NULL`),
    subscription(SUBSCRIPTIONS.relayed, `${WAKES} AND ${RELAYED} IS NOT NULL`),
  ]);

function entities(subscriptions: unknown[]): unknown {
  const topic = {
    Name: TOPIC,
    Properties: { RequiresDuplicateDetection: true, DuplicateDetectionHistoryTimeWindow: 'PT10M' },
    Subscriptions: subscriptions,
  };
  return {
    UserConfig: { Namespaces: [{ Name: 'sluice', Queues: [], Topics: [topic] }], Logging: { Type: 'Console' } },
  };
}

const subscription = (name: string, SqlExpression: string): unknown => ({
  Name: name,
  Properties: PROPERTIES,
  Rules: [{ Name: 'wakes', Properties: { FilterType: 'Sql', SqlFilter: { SqlExpression } } }],
});
