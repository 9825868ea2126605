/** Reads the imports and referenced names of a source file from its syntax tree. */
import { parseAst } from 'vitest/node';
import { type Aliases, aliasesIn, isCreateRequire, resolved } from './aliases.ts';
import { memberOf, type Node, nameOf, namesOf, textOf } from './syntax.ts';

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
   * Names that it references by value: identifiers (`process`), imported names, members (`Math.random`, `….random` of
   * an expression, `Math[…]` if the member is computed), calls (`Date()`), constructors (`new Date`) and those without
   * an argument (`new Date()`), names that are passed on (`Date as a value` of `const D = Date`) and imports with a
   * computed name (`import(…)`). What an import, a variable or a pattern gives another name is contained under both.
   *
   * Scopes are not resolved, so a local variable must not have the name of a forbidden global. Not found is what reaches
   * a value through a field, an argument or a result of a function, after it was `passed on` where that is permitted.
   */
  names: ReadonlySet<string>;
  /**
   * What a module keeps and may change: `let`, `var`, constants whose value is neither computed from literals nor a function,
   * and statements that run or keep something (classes, enums, namespaces, assignments, a default export).
   */
  state: readonly string[];
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

/** Aliases of an alias that are resolved. A variable may have the name of what it is taken from, without an end. */
const MAX_ALIASES = 3;

/** Reads a file. Throws if it does not parse. */
export function readSource(file: string, text: string): Source {
  const imports: Import[] = [];
  const names = new Set<string>();
  const root = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file) as unknown as Node;
  const aliases = aliasesIn(root);
  const add = (name: string): void => {
    let next: string | undefined = name;
    for (let depth = 0; next !== undefined && depth <= MAX_ALIASES; depth += 1) {
      names.add(next);
      next = resolved(next, aliases);
    }
  };
  const visit = (node: Node): void => {
    const imported = importOf(node, aliases);
    if (imported) imports.push(imported);
    for (const name of namesIn(node, aliases)) add(name);
    for (const child of childrenOf(node)) {
      if (child.type === 'Identifier' && !isUsedInPlace(node, child)) add(`${child.name} as a value`);
      visit(child);
    }
  };
  visit(root);
  return { imports, names, state: stateOf(root) };
}

/** Statements of a module that keep nothing that can change; a function is a value without fields. */
const STATELESS = [
  ...['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'FunctionDeclaration'],
  ...['TSTypeAliasDeclaration', 'TSInterfaceDeclaration', 'IfStatement'],
];

const stateOf = ({ body }: Node): string[] =>
  (body as Node[])
    .map((node) => (node.type === 'ExportNamedDeclaration' ? ((node.declaration ?? node) as Node) : node))
    .filter(({ type, expression }) =>
      type === 'ExpressionStatement'
        ? /^(Assignment|Update)/.test((expression as Node).type)
        : !STATELESS.includes(type),
    )
    .flatMap(({ type, kind, declarations }) =>
      type === 'VariableDeclaration'
        ? (declarations as { id: Node; init: Node | null }[])
            .filter(({ init }) => kind !== 'const' || init === null || !isFixed(init))
            .map(({ id }) => `${kind} ${nameOf(id) ?? '{…}'}`)
        : [type],
    );

/** Whether a value cannot change: a function, or an expression of literals and names without a call. */
const isFixed = (node: Node): boolean =>
  ['Literal', 'Identifier', 'TemplateElement', 'ArrowFunctionExpression'].includes(node.type) ||
  (['TemplateLiteral', 'UnaryExpression', 'BinaryExpression'].includes(node.type) && childrenOf(node).every(isFixed));

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

function importOf(node: Node, aliases: Aliases): Import | undefined {
  const { type } = node;
  const isType = node.importKind === 'type' || node.exportKind === 'type' || type === 'TSImportType';
  const specifier = textOf(fromOf(node, aliases));
  return specifier === undefined ? undefined : { specifier, isType };
}

/** The specifier of the module that a node imports. */
function fromOf(node: Node, aliases: Aliases): Node | undefined {
  const isRequire = node.type === 'CallExpression' && isRequireCall(node.callee as Node, aliases);
  return ((isRequire ? (node.arguments as unknown[])[0] : node.source) ?? undefined) as Node | undefined;
}

/** `require(…)`, `createRequire(…)(…)`, and the call of a variable that contains one of them. */
const isRequireCall = (callee: Node, { names, requires }: Aliases): boolean =>
  isCreateRequire(callee, names) ||
  (callee.type === 'Identifier' &&
    [callee.name, names.get(callee.name as string)].some((name) => requires.has(name as string)));

function namesIn(node: Node, aliases: Aliases): string[] {
  switch (node.type) {
    case 'ImportDeclaration':
      return importedNames(node);
    case 'VariableDeclarator':
      return takenMembers(node.id as Node, nameOf((node.init ?? node.id) as Node));
    case 'ObjectPattern':
      return takenMembers(node, undefined);
    case 'ImportExpression':
      return textOf(fromOf(node, aliases)) === undefined ? ['import(…)'] : [];
    case 'CallExpression': {
      const isComputed = isRequireCall(node.callee as Node, aliases) && textOf(fromOf(node, aliases)) === undefined;
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
function takenMembers({ type, properties }: Node, object = '…'): string[] {
  if (type !== 'ObjectPattern') return [];
  return (properties as Node[]).flatMap(({ key, computed }) => {
    if (computed === true) return [`${object}.[…]`];
    return key ? namesOf(key as Node).map((name) => memberOf(object, name)) : [];
  });
}
