import type { HostedFunction } from '../hosted-function.ts';

/** Returns the lines that Core Tools prints at its start: HTTP functions with their URLs first, then the others. */
export function formatFunctionList(functions: readonly HostedFunction[]): string[] {
  const served = functions.filter((fn) => fn.state === 'served').sort(byName);
  if (served.length === 0) return ['No job functions found.'];
  const http = served.filter((fn) => fn.url !== undefined);
  const others = served.filter((fn) => fn.url === undefined);
  const lines = [
    ...http.map((fn) => `\t${fn.name}: [${(fn.methods ?? []).join(',')}] ${fn.url}`),
    ...others.map((fn) => `\t${fn.name}: ${fn.type}`),
  ];
  return ['', 'Functions:', '', ...lines.flatMap((line) => [line, ''])];
}

function byName(left: HostedFunction, right: HostedFunction): number {
  return left.name.toLowerCase() < right.name.toLowerCase() ? -1 : 1;
}
