import type { DurableFunctionKind } from './types.ts';

/** The functions an app has registered; names are compared without case, as the Functions host does. */
export class FunctionNames {
  readonly #names = new Set<string>();

  register(name: string, kind: DurableFunctionKind): void {
    this.#names.add(toKey(name, kind));
  }

  has(name: string, kind: DurableFunctionKind): boolean {
    return this.#names.has(toKey(name, kind));
  }
}

function toKey(name: string, kind: DurableFunctionKind): string {
  return `${kind} ${name.toLowerCase()}`;
}
