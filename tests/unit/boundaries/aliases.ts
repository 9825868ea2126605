/** The other names under which a file uses a value: of imports, variables and patterns. */
import { memberOf, type Node, nameOf } from './syntax.ts';

/** Other names that a file gives to what it uses. */
export interface Aliases {
  /** Local name → the name of its value. */
  names: ReadonlyMap<string, string>;
  /** Variables whose value is the result of `createRequire`. */
  requires: ReadonlySet<string>;
}

/** Replaces the first name of `new T()` or `a.b` by the name of its value. */
export function resolved(name: string, { names }: Aliases): string | undefined {
  const [all = '', start = '', head = ''] = /^((?:new )?)([^.([ ]+)/.exec(name) ?? [];
  const value = names.get(head);
  return value === undefined ? undefined : `${start}${value}${name.slice(all.length)}`;
}

/** Reads the aliases of a file from its syntax tree, whatever their scope. */
export function aliasesIn(root: Node): Aliases {
  const names = new Map<string, string>();
  const requires = new Set(['require']);
  const set = (local: unknown, value: string | undefined): void => {
    const { type, name } = (local ?? {}) as Node;
    if (type === 'Identifier' && value !== undefined && name !== value) names.set(name as string, value);
  };
  const visit = (node: Node): void => {
    if (node.type === 'ImportSpecifier') set(node.local, nameOf(node.imported as Node));
    for (const [target, value] of assignmentsIn(node)) {
      set(target, nameOf(value));
      if (target.type === 'Identifier' && isCreateRequire(value, names)) requires.add(target.name as string);
      if (target.type !== 'ObjectPattern') continue;
      for (const { key, value: local, computed } of target.properties as Node[])
        if (key && computed !== true)
          set(localOf(local as Node), memberOf(nameOf(value) ?? '…', String(nameOf(key as Node))));
    }
    for (const child of Object.values(node).flat())
      if (typeof (child as Node | null)?.type === 'string') visit(child as Node);
  };
  visit(root);
  return { names, requires };
}

/** The target and the value of `const a = b` and `a = b`. */
function assignmentsIn({ type, id, init, left, right }: Node): [Node, Node][] {
  if (type === 'VariableDeclarator' && init) return [[id as Node, init as Node]];
  return type === 'AssignmentExpression' ? [[left as Node, right as Node]] : [];
}

/** The variable of a property of a pattern, with or without a default. */
const localOf = (value: Node): Node => (value.type === 'AssignmentPattern' ? (value.left as Node) : value);

/** Whether a node calls `createRequire`, whatever the file calls it. */
export const isCreateRequire = (node: Node, names: ReadonlyMap<string, string>): boolean => {
  if (node.type !== 'CallExpression') return false;
  const name = nameOf(node.callee as Node) ?? '';
  return (resolved(name, { names, requires: new Set() }) ?? name).split('.').at(-1) === 'createRequire';
};
