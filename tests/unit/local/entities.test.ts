import { parseConfig } from 'functions-local/service-bus';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { entities } from '../../../local/entities.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';

const workload = (name: string, pool: string) =>
  defineWorkload({ name, version: 1, item: z.object({}), map: () => 1, pool });
const subscriptions = (...pools: string[]) => {
  const registry = createRegistry(pools.map((pool, index) => workload(`work${index}`, pool)));
  const [topic] = parseConfig(entities(registry)).topics;
  return topic?.subscriptions ?? [];
};

describe('the entities', () => {
  it('are one topic that drops duplicates within ten minutes', () => {
    const config = parseConfig(entities(createRegistry([workload('work', 'default')])));
    expect(config.topics).toMatchObject([{ name: 'sluice-events', sendTarget: { duplicateWindowMs: 600_000 } }]);
    expect(config.queues).toEqual([]);
  });

  it('deliver only detected work, for one hour and ten deliveries at most', () => {
    expect(subscriptions('default').find(({ name }) => name === 'wake')).toMatchObject({
      queue: { defaultTtlMs: 3_600_000, maxDeliveryCount: 10, lockMs: 60_000 },
      rules: [{ filter: { kind: 'correlation', correlation: { properties: { type: 'QueueWorkDetected' } } } }],
    });
  });

  it('include a subscription to completions with an SQL filter', () => {
    expect(subscriptions('default').find(({ name }) => name === 'completions')).toMatchObject({
      rules: [{ filter: { kind: 'sql', expression: "type = 'BatchCompleted'" } }],
    });
  });

  it('include the subscriptions that the user specifies', () => {
    const registry = createRegistry([workload('work', 'default')]);
    const [topic] = parseConfig(entities(registry, { mine: "lane = 'high'" })).topics;
    expect(topic?.subscriptions.map(({ name }) => name)).toEqual(['wake', 'completions', 'mine']);
    expect(topic?.subscriptions.at(-1)).toMatchObject({ rules: [{ filter: { expression: "lane = 'high'" } }] });
  });

  it('include one subscription per pool', () => {
    expect(subscriptions('default', 'video', 'video').map(({ name }) => name)).toEqual([
      'wake',
      'wake-video',
      'completions',
    ]);
  });
});
