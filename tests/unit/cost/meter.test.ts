import { describe, expect, it } from 'vitest';
import { asInvocation, responsesSoFar } from '../../../shared/cost/account.ts';
import { createMeter } from '../../../shared/cost/meter.ts';

describe('the meter', () => {
  it('counts operations that the caller reports, one by default', () => {
    const meter = createMeter();

    meter.count('servicebus.send');
    meter.count('servicebus.send', 4);
    meter.count('durable.activity', 2);

    expect(meter.total()).toEqual({ 'servicebus.send': 5, 'durable.activity': 2 });
  });

  it('measures the time of each try of an invocation, with or without a response, and counts throttled ones', async () => {
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
    const cut = () => {
      throw new Error('cut');
    };

    const responses = await asInvocation(async () => {
      await send(30, () => ({ status: 503, headers: new Map() }));
      await send(400, cut).catch(() => send(5, () => ({ status: 200, headers: new Map() })));
      return responsesSoFar();
    });

    expect(responses).toEqual({ count: 3, ms: 435, throttled: 1 });
    expect(meter.total()).toEqual({ 'queue.get': 3, 'throttled.responses': 1 });
  });

  it('returns copies', () => {
    const meter = createMeter();
    const before = meter.total();

    meter.count('a.one');

    expect(before).toEqual({});
  });
});
