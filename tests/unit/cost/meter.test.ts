import { describe, expect, it } from 'vitest';
import { createMeter } from '../../../shared/cost/meter.ts';

describe('the meter', () => {
  it('counts operations that the caller reports, one by default', () => {
    const meter = createMeter();

    meter.count('servicebus.send');
    meter.count('servicebus.send', 4);
    meter.count('durable.activity', 2);

    expect(meter.total()).toEqual({ 'servicebus.send': 5, 'durable.activity': 2 });
  });

  it('adds inner measurements to all outer scopes', async () => {
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

  it('keeps the operations of a failing function in the outer scope', async () => {
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

  it('measures the time of each try, with or without a response, for all outer scopes', async () => {
    let nowMs = 0;
    const meter = createMeter({ monotonicMs: () => nowMs, wallMs: () => 0 });
    const { sendRequest } = meter.policy('queue');
    const send = (ms: number, answer: () => unknown) =>
      sendRequest(
        { method: 'GET', url: 'http://a/q/messages' } as never,
        (async () => {
          nowMs += ms;
          return answer();
        }) as never,
      );
    const answer = () => ({ status: 200, headers: new Map() });

    const outer = await meter.measure(async () => {
      await send(30, answer);
      const cut = () => {
        throw new Error('cut');
      };
      return meter.measure(() => send(400, cut).catch(() => send(5, answer)));
    });

    expect([outer.value.responses, outer.responses]).toEqual([
      { count: 2, ms: 405 },
      { count: 3, ms: 435 },
    ]);
  });

  it('returns copies', () => {
    const meter = createMeter();
    const before = meter.total();

    meter.count('a.one');

    expect(before).toEqual({});
  });
});
