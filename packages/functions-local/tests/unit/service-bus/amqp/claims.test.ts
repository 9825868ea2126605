import { expect, test } from 'vitest';
import { Claims } from '../../../../src/service-bus/amqp/claims.ts';

test.for([
  ['sb://localhost:1/events', 'Events', true],
  ['sb://localhost:1/Events', 'events/Subscriptions/all', true],
  ['sb://localhost:1/', 'events', true],
  ['sb://localhost:1/events', 'events2', false],
  ['sb://localhost:1/events/Subscriptions/all', 'events', false],
] as const)('a claim for %s covers %s: %s', ([resource, path, covered]) => {
  const claims = new Claims();
  claims.add(resource);

  if (covered) expect(() => claims.require(path)).not.toThrow();
  else expect(() => claims.require(path)).toThrow(/Unauthorized access/);
});
