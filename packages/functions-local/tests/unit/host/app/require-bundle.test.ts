import { describe, expect, it } from 'vitest';
import { planFunctions } from '../../../../src/host/app/plan-functions.ts';
import { requireBundle } from '../../../../src/host/app/require-bundle.ts';
import type { Binding } from '../../../../src/host/worker-protocol.ts';

const http: Binding = { type: 'httpTrigger', direction: 'in' };
const answer: Binding = { type: 'http', direction: 'out' };
const timer: Binding = { type: 'timerTrigger', direction: 'in', schedule: '0 * * * *' };
const client: Binding = { type: 'durableClient', direction: 'in' };
const activity: Binding = { type: 'activityTrigger', direction: 'in' };

function plan(bindings: Record<string, Binding>) {
  return planFunctions([{ id: 'fn', metadata: { name: 'fn', bindings }, callback: () => undefined }], {});
}

describe('requireBundle', () => {
  it.each([[{ http, $return: answer }], [{ timer }]])(
    'accepts bindings of the host itself without a bundle',
    (bindings) => {
      expect(requireBundle(plan(bindings), false)[0]?.state).toBe('served');
    },
  );

  it.each([
    ['activityTrigger', { activity }],
    ['durableClient', { http, $return: answer, client }],
    ['activityTrigger, durableClient', { activity, client }],
  ])('refuses %s without a bundle', (types, bindings) => {
    const [planned] = requireBundle(plan(bindings), false);
    expect(planned).toMatchObject({ state: 'refused' });
    expect((planned as { error?: Error }).error?.message).toContain(
      `The binding type(s) '${types}' are not registered.`,
    );
    expect((planned as { error?: Error }).error?.message).toContain('host.json has no extensionBundle');
  });

  it('accepts all bindings with a bundle', () => {
    expect(requireBundle(plan({ activity, client }), true)[0]?.state).toBe('served');
  });
});
