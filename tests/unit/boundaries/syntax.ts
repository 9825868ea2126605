/** Names and texts of single nodes of a syntax tree. */

/** A node as the parser returns it. */
export interface Node {
  type: string;
  [field: string]: unknown;
}

/** The text of a literal, or of a template without expressions. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.type !== 'TemplateLiteral') return typeof node?.value === 'string' ? node.value : undefined;
  const [only, more] = node.quasis as { value: { cooked: string } }[];
  return more === undefined ? only?.value.cooked : undefined;
}

/**
 * `a`, `a.b.c`, `….c` for a member of any other expression, or `a.[…]`; a literal in brackets is also a member, and a
 * member of the global object is a global.
 */
export function nameOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name as string;
  if (node.type === 'ChainExpression') return nameOf(node.expression as Node);
  if (node.type !== 'MemberExpression') return undefined;
  const property = node.property as Node;
  const member = node.computed === true ? (property.value ?? textOf(property) ?? '[…]') : property.name;
  return memberOf(nameOf(node.object as Node) ?? '…', String(member));
}

export const memberOf = (object: string, member: string): string =>
  object === 'globalThis' || object === 'global' ? member : `${object}.${member}`;

/** The name of a node, if it has one. */
export const namesOf = (node: Node): string[] => [nameOf(node) ?? []].flat();
