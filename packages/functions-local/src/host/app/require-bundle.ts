import { FunctionRefusedError } from '../errors.ts';
import type { PlannedFunction } from './plan-functions.ts';

/** Bindings of the host itself. All others require an extension bundle. */
const BUILT_IN = ['http', 'httptrigger', 'timertrigger'];

const EXAMPLE = '"extensionBundle": { "id": "Microsoft.Azure.Functions.ExtensionBundle", "version": "[4.*, 5.0.0)" }';

/** Refuses functions whose bindings require an extension bundle if host.json has none, with the real host's message. */
export function requireBundle(planned: readonly PlannedFunction[], hasBundle: boolean): PlannedFunction[] {
  if (hasBundle) return [...planned];
  return planned.map((entry) => {
    const types = Object.values(entry.fn.metadata.bindings).map(({ type }) => type);
    const missing = types.filter((type) => !BUILT_IN.includes(type.toLowerCase()));
    if (entry.state !== 'served' || missing.length === 0) return entry;
    const error = new FunctionRefusedError(
      `The binding type(s) '${[...new Set(missing)].join(', ')}' are not registered. Please ensure the type is correct and ` +
        `the binding extension is installed. host.json has no extensionBundle; add ${EXAMPLE}.`,
    );
    return { state: 'refused', fn: entry.fn, error };
  });
}
