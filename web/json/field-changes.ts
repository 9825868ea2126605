/** Converts changes of single fields, as people enter them, into one JSON Merge Patch (RFC 7396). */

/** A change of one field. */
export interface FieldChange {
  /** Names separated by dots; a dot within a name is escaped with a backslash. */
  path: string;
  kind: 'text' | 'json' | 'remove';
  /** The new value as typed: text, or JSON with all its digits. */
  value: string;
}

/** A patch as JSON text, or the error in the changes. */
export type PatchText = { patch: string } | { fault: string };

type Tree = Map<string, Tree | string>;

/** Builds the patch of some changes. Values keep their digits, because they are never parsed into numbers. */
export function patchOf(changes: readonly FieldChange[]): PatchText {
  const tree: Tree = new Map();
  for (const change of changes) {
    const names = namesOf(change.path);
    if (names.some((name) => name === '')) return { fault: 'Enter the name of the field.' };
    const fault = faultOf(change) ?? put(tree, names, textOf(change));
    if (fault !== undefined) return { fault };
  }
  return { patch: toText(tree) };
}

const namesOf = (path: string): string[] =>
  path
    .trim()
    .split(/(?<!\\)\./)
    .map((name) => name.replaceAll('\\.', '.'));

function textOf({ kind, value }: FieldChange): string {
  if (kind === 'remove') return 'null';
  return kind === 'text' ? JSON.stringify(value) : value.trim();
}

function faultOf({ kind, path, value }: FieldChange): string | undefined {
  if (kind !== 'json') return undefined;
  try {
    return hasNull(JSON.parse(value)) ? `${path}: null removes a field. Choose “remove” for that.` : undefined;
  } catch {
    return `${path}: this is not JSON. Text needs quotes here, or choose “set to text”.`;
  }
}

/** Within arrays, null is a value like any other. */
const hasNull = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).some(hasNull));

function put(tree: Tree, [name = '', ...rest]: readonly string[], text: string): string | undefined {
  const there = tree.get(name);
  if (rest.length > 0 && there === undefined) tree.set(name, new Map());
  const inner = tree.get(name);
  if (rest.length > 0 && typeof inner === 'object') return put(inner, rest, text);
  if (there !== undefined) return `${name} is changed twice.`;
  tree.set(name, text);
  return undefined;
}

const toText = (tree: Tree): string =>
  `{${[...tree].map(([name, value]) => `${JSON.stringify(name)}:${typeof value === 'string' ? value : toText(value)}`).join(',')}}`;
