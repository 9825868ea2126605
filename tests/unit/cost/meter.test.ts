import { describe, expect, it } from 'vitest';
import { createMeter } from '../../../shared/cost/meter.ts';

describe('the meter', () => {
  it('counts by hand, one unless told', () => {
    const meter = createMeter();

    meter.count('servicebus.send');
    meter.count('servicebus.send', 4);
    meter.count('durable.activity', 2);

    expect(meter.total()).toEqual({ 'servicebus.send': 5, 'durable.activity': 2 });
  });

  it('adds what is measured inside to every scope around it', async () => {
    const meter = createMeter();

    const outer = await meter.measure(async () => {
      meter.count('a.one');
      const inner = await meter.measure(async () => meter.count('a.two', 2));
      return inner.operations;
    });

    expect([outer.value, outer.operations, meter.total()]).toEqual([
      { 'a.two': 2 },
      { 'a.one': 1, 'a.two': 2 },
      { 'a.one': 1, 'a.two': 2 },
    ]);
  });

  it('keeps in the outer scope what a failing function has spent', async () => {
    const meter = createMeter();

    const outer = await meter.measure(async () => {
      const failing = meter.measure(async () => {
        meter.count('a.one');
        throw new Error('expected');
      });
      await expect(failing).rejects.toThrow('expected');
    });

    expect(outer.operations).toEqual({ 'a.one': 1 });
  });

  it('hands out copies', () => {
    const meter = createMeter();
    const before = meter.total();

    meter.count('a.one');

    expect(before).toEqual({});
  });
});
