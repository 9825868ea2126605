/** Reads the imports and referenced names of a source file from its syntax tree. */
import { parseAst } from 'vitest/node';

/** One import, re-export, dynamic import, `import('…')` type or `require` of a file. */
export interface Import {
  /** As written: `./a.ts`, `node:fs` or `zod`. */
  specifier: string;
  /** Erased by the compiler. */
  isType: boolean;
}

/** The facts that the rules check. */
export interface Source {
  imports: readonly Import[];
  /**
   * Names that it references by value: identifiers (`process`), imported names, members (`Math.random`), calls
   * (`Date()`), constructors (`new Date`) and those without an argument (`new Date()`), names that are passed on (`Date
   * as a value` of `const D = Date`) and imports with a computed name (`import(…)`). Scopes are not resolved, so a
   * local variable must not have the name of a forbidden global, and uses of an imported class under another name are
   * not found.
   */
  names: ReadonlySet<string>;
}

interface Node {
  type: string;
  [field: string]: unknown;
}

/** Fields that contain names of members or types, never a reference to a value. */
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

/** Reads a file. Throws if it does not parse. */
export function readSource(file: string, text: string): Source {
  const imports: Import[] = [];
  const names = new Set<string>();
  const visit = (node: Node): void => {
    const imported = importOf(node);
    if (imported) imports.push(imported);
    for (const name of namesIn(node)) names.add(name);
    for (const child of childrenOf(node)) {
      if (child.type === 'Identifier' && !isUsedInPlace(node, child)) names.add(`${child.name} as a value`);
      visit(child);
    }
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

/** Whether the parent of an identifier determines its whole use: `Date.now`, `Date()`, `{ now } = Date`. */
const isUsedInPlace = (parent: Node, child: Node): boolean =>
  parent.object === child ||
  parent.callee === child ||
  parent.operator === 'instanceof' ||
  (parent.init === child && (parent.id as Node).type === 'ObjectPattern');

function importOf(node: Node): Import | undefined {
  const { type } = node;
  const isType = node.importKind === 'type' || node.exportKind === 'type' || type === 'TSImportType';
  const specifier = textOf(fromOf(node));
  return specifier === undefined ? undefined : { specifier, isType };
}

/** The specifier of the module that a node imports. */
function fromOf(node: Node): Node | undefined {
  const isRequire = node.type === 'CallExpression' && isRequireCall(node.callee as Node);
  return ((isRequire ? (node.arguments as unknown[])[0] : node.source) ?? undefined) as Node | undefined;
}

/** The text of a literal, or of a template without expressions. */
function textOf(node: Node | undefined): string | undefined {
  if (node?.type !== 'TemplateLiteral') return typeof node?.value === 'string' ? node.value : undefined;
  const [only, more] = node.quasis as { value: { cooked: string } }[];
  return more === undefined ? only?.value.cooked : undefined;
}

/** `require(…)` and `createRequire(…)(…)`. */
const isRequireCall = (callee: Node): boolean =>
  (callee.type === 'Identifier' && callee.name === 'require') ||
  (callee.type === 'CallExpression' && nameOf(callee.callee as Node) === 'createRequire');

function namesIn(node: Node): string[] {
  switch (node.type) {
    case 'ImportDeclaration':
      return importedNames(node);
    case 'VariableDeclarator':
      return takenMembers(node);
    case 'ImportExpression':
      return textOf(fromOf(node)) === undefined ? ['import(…)'] : [];
    case 'CallExpression': {
      const isComputed = isRequireCall(node.callee as Node) && textOf(fromOf(node)) === undefined;
      return [...namesOf(node.callee as Node).map((name) => `${name}()`), ...(isComputed ? ['require(…)'] : [])];
    }
    case 'NewExpression': {
      const isBare = (node.arguments as unknown[]).length === 0;
      return namesOf(node.callee as Node).flatMap((name) => [`new ${name}`, ...(isBare ? [`new ${name}()`] : [])]);
    }
    default:
      return namesOf(node);
  }
}

/** Imported names, even if the file uses other names for them. */
const importedNames = ({ importKind, specifiers }: Node): string[] =>
  importKind === 'type'
    ? []
    : (specifiers as Node[])
        .filter((each) => each.type === 'ImportSpecifier' && each.importKind !== 'type')
        .flatMap(({ imported }) => namesOf(imported as Node));

/** Members that a pattern takes from an object: `Math.random` of `const { random } = Math`. */
function takenMembers({ id, init }: Node): string[] {
  const { type, properties } = id as Node;
  if (type !== 'ObjectPattern' || !init) return [];
  const keys = (properties as Node[]).flatMap(({ key }) => (key ? namesOf(key as Node) : []));
  return namesOf(init as Node).flatMap((object) => keys.map((key) => memberOf(object, key)));
}

const namesOf = (node: Node): string[] => [nameOf(node) ?? []].flat();

/** `a` or `a.b.c`; a literal in brackets is also a member, and a member of the global object is a global. */
function nameOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name as string;
  if (node.type === 'ChainExpression') return nameOf(node.expression as Node);
  if (node.type !== 'MemberExpression') return undefined;
  const object = nameOf(node.object as Node);
  const property = node.property as Node;
  const member = node.computed === true ? property.value : property.name;
  if (object === undefined || typeof member !== 'string') return undefined;
  return memberOf(object, member);
}

const memberOf = (object: string, member: string): string =>
  object === 'globalThis' || object === 'global' ? member : `${object}.${member}`;
