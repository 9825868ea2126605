import { describe, expect, it } from 'vitest';
import { planFunctions } from '../../../../src/host/app/plan-functions.ts';
import type { Binding } from '../../../../src/host/worker-protocol.ts';

function plan(bindings: Record<string, Binding>, { name = 'fn', env = {} } = {}) {
  const [planned] = planFunctions([{ id: name, metadata: { name, bindings }, callback: () => undefined }], env);
  return planned;
}

const timer: Binding = { type: 'timerTrigger', direction: 'in', schedule: '%WHEN%' };

describe('planFunctions', () => {
  it('resolves settings in bindings', () => {
    const planned = plan({ t: timer }, { env: { WHEN: '0 * * * *' } });
    expect(planned).toMatchObject({ state: 'served', triggerName: 't', triggerType: 'timerTrigger' });
    expect(planned?.fn.metadata.bindings.t?.schedule).toBe('0 * * * *');
  });

  it('omits a disabled function', () => {
    expect(plan({ t: timer }, { env: { 'AzureWebJobs.fn.Disabled': 'true' } })?.state).toBe('disabled');
  });

  it.each<[string, Record<string, Binding>]>([
    ["'%WHEN%' does not resolve", { t: timer }],
    ["'queueTrigger' is not supported", { t: { type: 'queueTrigger', direction: 'in' } }],
    ["'entityTrigger' is not supported", { t: { type: 'entityTrigger', direction: 'in' } }],
    [
      "'serviceBus (output)' is not supported",
      { t: { type: 'httpTrigger', direction: 'in' }, out: { type: 'serviceBus', direction: 'out' } },
    ],
    [
      "'blob (input)' is not supported",
      { t: { type: 'httpTrigger', direction: 'in' }, blob: { type: 'blob', direction: 'in' } },
    ],
    [
      'with sdkBinding',
      { t: { type: 'serviceBusTrigger', direction: 'in', properties: { supportsDeferredBinding: 'true' } } },
    ],
    ['expected exactly one trigger, got 0', {}],
  ])('refuses: %s', (message, bindings) => {
    expect(plan(bindings)).toMatchObject({ state: 'refused', error: { message: expect.stringContaining(message) } });
  });

  it('refuses a name that Azure would not accept', () => {
    expect(plan({ t: { ...timer, schedule: '' } }, { name: '1st' })).toMatchObject({ state: 'refused' });
    expect(plan({ t: { ...timer, schedule: '' } }, { name: 'Host' })).toMatchObject({ state: 'refused' });
  });
});
