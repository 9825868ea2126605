import type { Environment } from '../settings/environment.ts';
import type { HostConfig } from '../settings/host-json.ts';
import { type PlannedFunction, planFunctions } from './plan-functions.ts';
import type { RegisteredFunction, Registry } from './registry.ts';
import { requireBundle } from './require-bundle.ts';

/** Plans the functions that an app has registered, with the settings of host.json and the environment. */
export function planApp(registry: Registry, config: HostConfig, env: Environment): PlannedFunction[] {
  const planned = planFunctions(selectFunctions(registry.functions.values(), config.functions), env);
  return requireBundle(planned, config.hasExtensionBundle);
}

// Selects the functions in `functions` of host.json, whose names are compared without case. If it has none, selects all.
function selectFunctions(registered: Iterable<RegisteredFunction>, wanted: readonly string[]): RegisteredFunction[] {
  const names = wanted.map((name) => name.toLowerCase());
  return [...registered].filter(({ metadata }) => names.length === 0 || names.includes(metadata.name.toLowerCase()));
}
