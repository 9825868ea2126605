import type { Environment } from '../settings/environment.ts';
import type { HostConfig } from '../settings/host-json.ts';
import { type PlannedFunction, planFunctions } from './plan-functions.ts';
import type { RegisteredFunction, Registry } from './registry.ts';
import { requireBundle } from './require-bundle.ts';

/** Plans the functions that an app has registered, as host.json and the environment say. */
export function planApp(registry: Registry, config: HostConfig, env: Environment): PlannedFunction[] {
  const planned = planFunctions(selectFunctions(registry.functions.values(), config.functions), env);
  return requireBundle(planned, config.hasExtensionBundle);
}

// Those that `functions` of host.json names, ignoring case; all when it names none.
function selectFunctions(registered: Iterable<RegisteredFunction>, wanted: readonly string[]): RegisteredFunction[] {
  const names = wanted.map((name) => name.toLowerCase());
  return [...registered].filter(({ metadata }) => names.length === 0 || names.includes(metadata.name.toLowerCase()));
}
