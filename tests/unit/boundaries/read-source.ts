/** What a source file imports and which names it refers to, read from its syntax tree. */
import { parseAst } from 'vitest/node';

/** One import, re-export, dynamic import, `import('…')` type or `require` of a file. */
export interface Import {
  /** As written: `./a.ts`, `node:fs` or `zod`. */
  specifier: string;
  /** Erased by the compiler. */
  isType: boolean;
}

/** What the rules look at. */
export interface Source {
  imports: readonly Import[];
  /**
   * What it refers to by value: identifiers (`process`), members (`Math.random`), calls (`Date()`), constructors
   * (`new Date`) and those without an argument (`new Date()`). Locals count too: one that is named as a global has to be
   * renamed where a rule forbids the global.
   */
  names: ReadonlySet<string>;
}

interface Node {
  type: string;
  [field: string]: unknown;
}

/** Fields that hold names of members or types, never a reference to a value. */
const NO_VALUES: Readonly<Record<string, readonly string[]>> = {
  Property: ['key'],
  MethodDefinition: ['key'],
  PropertyDefinition: ['key'],
  MemberExpression: ['property'],
  ImportSpecifier: ['imported', 'local'],
  ExportSpecifier: ['exported'],
  LabeledStatement: ['label'],
  BreakStatement: ['label'],
  ContinueStatement: ['label'],
  TSEnumMember: ['id'],
  TSMethodSignature: ['key'],
  TSPropertySignature: ['key'],
  JSXAttribute: ['name'],
  TSTypeReference: ['typeName'],
  TSTypeQuery: ['exprName'],
  TSQualifiedName: ['left', 'right'],
  TSTypeAliasDeclaration: ['id'],
  TSInterfaceDeclaration: ['id'],
};

/** Reads a file. Throws when it does not parse. */
export function readSource(file: string, text: string): Source {
  const imports: Import[] = [];
  const names = new Set<string>();
  const visit = (node: Node): void => {
    const imported = importOf(node);
    if (imported) imports.push(imported);
    for (const name of namesIn(node)) names.add(name);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file) as unknown as Node);
  return { imports, names };
}

function childrenOf(node: Node): Node[] {
  const names = node.computed === true ? [] : (NO_VALUES[node.type] ?? []);
  return Object.entries(node)
    .filter(([field, value]) => !names.includes(field) || (value as Node | null)?.type !== 'Identifier')
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string');
}

function importOf(node: Node): Import | undefined {
  const { type, source } = node;
  const isType = node.importKind === 'type' || node.exportKind === 'type' || type === 'TSImportType';
  const isRequire = type === 'CallExpression' && isRequireCall(node.callee as Node);
  const from = (isRequire ? (node.arguments as unknown[])[0] : source) as { value?: unknown } | null | undefined;
  return typeof from?.value === 'string' ? { specifier: from.value, isType } : undefined;
}

/** `require(…)` and `createRequire(…)(…)`. */
const isRequireCall = (callee: Node): boolean =>
  (callee.type === 'Identifier' && callee.name === 'require') ||
  (callee.type === 'CallExpression' && nameOf(callee.callee as Node) === 'createRequire');

function namesIn(node: Node): string[] {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return [nameOf(node) ?? []].flat();
  const callee = nameOf(node.callee as Node);
  if (callee === undefined) return [];
  const isBare = (node.arguments as unknown[]).length === 0;
  if (node.type === 'CallExpression') return [`${callee}()`];
  return [`new ${callee}`, ...(isBare ? [`new ${callee}()`] : [])];
}

/** `a` or `a.b.c`; a literal in brackets is a member too, and a member of the global object a global. */
function nameOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name as string;
  if (node.type === 'ChainExpression') return nameOf(node.expression as Node);
  if (node.type !== 'MemberExpression') return undefined;
  const object = nameOf(node.object as Node);
  const property = node.property as Node;
  const member = node.computed === true ? property.value : property.name;
  if (object === undefined || typeof member !== 'string') return undefined;
  return object === 'globalThis' || object === 'global' ? member : `${object}.${member}`;
}
