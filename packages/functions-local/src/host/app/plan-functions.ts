import { FunctionRefusedError, toError, unsupported } from '../errors.ts';
import { type Environment, isDisabled, resolveSettingsDeep } from '../settings/environment.ts';
import type { Binding } from '../worker-protocol.ts';
import type { RegisteredFunction } from './registry.ts';

/** Triggers that this host supports. */
const TRIGGER_TYPES = [
  'httpTrigger',
  'timerTrigger',
  'serviceBusTrigger',
  'orchestrationTrigger',
  'activityTrigger',
] as const;

export type TriggerType = (typeof TRIGGER_TYPES)[number];

/** The plan for a registered function. */
export type PlannedFunction =
  | { state: 'served'; fn: RegisteredFunction; triggerName: string; triggerType: TriggerType }
  | { state: 'disabled'; fn: RegisteredFunction }
  | { state: 'refused'; fn: RegisteredFunction; error: Error };

/** Decides which functions run. Resolves settings in bindings and refuses unsupported bindings. */
export function planFunctions(functions: Iterable<RegisteredFunction>, env: Environment): PlannedFunction[] {
  return [...functions].map((fn) => {
    if (isDisabled(fn.metadata.name, env)) return { state: 'disabled', fn };
    try {
      return planServed(fn, env);
    } catch (error: unknown) {
      return { state: 'refused', fn, error: toError(error) };
    }
  });
}

function planServed(registered: RegisteredFunction, env: Environment): PlannedFunction {
  const { name, bindings } = registered.metadata;
  if (!/^[a-z][a-z0-9_-]{0,127}$/i.test(name) || name.toLowerCase() === 'host') {
    throw new FunctionRefusedError(`'${name}' is not a valid function name.`);
  }
  const fn = { ...registered, metadata: { ...registered.metadata, bindings: resolveSettingsDeep(bindings, env) } };
  const entries = Object.entries(fn.metadata.bindings);
  const triggers = entries.filter(([, binding]) => binding.type.toLowerCase().endsWith('trigger'));
  const [trigger] = triggers;
  if (!trigger || triggers.length > 1)
    throw new FunctionRefusedError(`expected exactly one trigger, got ${triggers.length}.`);
  const triggerType = readTriggerType(trigger[1]);
  for (const [key, binding] of entries) if (key !== trigger[0]) assertSupported(key, binding, triggerType);
  return { state: 'served', fn, triggerName: trigger[0], triggerType };
}

function readTriggerType(binding: Binding): TriggerType {
  const found = TRIGGER_TYPES.find((type) => type.toLowerCase() === binding.type.toLowerCase());
  if (!found) throw unsupported(`the binding type '${binding.type}' is`);
  if (binding.properties?.supportsDeferredBinding === 'true') throw unsupported(`${binding.type} with sdkBinding is`);
  return found;
}

function assertSupported(key: string, binding: Binding, triggerType: TriggerType): void {
  const isAnswer = key === '$return' && binding.type.toLowerCase() === 'http' && triggerType === 'httpTrigger';
  const isClient = binding.type.toLowerCase() === 'durableclient' && binding.direction === 'in';
  if (!isAnswer && !isClient)
    throw unsupported(`the binding type '${binding.type} (${binding.direction === 'in' ? 'input' : 'output'})' is`);
}
