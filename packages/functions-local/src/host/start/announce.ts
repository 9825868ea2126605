import type { PlannedFunction } from '../app/plan-functions.ts';
import type { HostedFunction } from '../hosted-function.ts';
import type { Wiring } from '../listeners.ts';
import type { HostLog } from '../log/host-log.ts';
import { formatFunctionList } from './function-list.ts';

/** Describes the functions of a host for its caller. */
export function toHostedFunctions(wiring: Wiring, publicUrl: string): HostedFunction[] {
  return wiring.functions.map((planned) => {
    const { name } = planned.fn.metadata;
    const route = wiring.routes.find((candidate) => candidate.fn.metadata.name === name);
    return {
      name,
      type: findTriggerType(planned),
      state: planned.state,
      ...(route
        ? { methods: route.methods, url: `http://localhost:${new URL(publicUrl).port}/${route.template}` }
        : {}),
    };
  });
}

function findTriggerType({ fn }: PlannedFunction): string {
  const types = Object.values(fn.metadata.bindings).map((binding) => binding.type);
  return types.find((type) => type.toLowerCase().endsWith('trigger')) ?? 'unknown';
}

/** Prints the function list, and why functions are missing from it. */
export function announce(wiring: Wiring, functions: readonly HostedFunction[], log: HostLog): void {
  for (const line of formatFunctionList(functions)) log.print(line);
  for (const planned of wiring.functions) {
    const { name } = planned.fn.metadata;
    if (planned.state === 'disabled') log.print(`Function ${name} is disabled.`);
    if (planned.state === 'refused') log.print(`The '${name}' function is in error: ${planned.error.message}`);
  }
}
