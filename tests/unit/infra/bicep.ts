/** Reads Bicep by its grammar (tree-sitter-bicep as WebAssembly: nothing native, nothing downloaded). */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Language, type Node, Parser } from 'web-tree-sitter';

export const ROOT = join(import.meta.dirname, '../../..');
const INFRA = join(ROOT, 'infra');

/** Every Bicep file of the deployment, as a path below the checkout. */
export const bicepFiles: readonly string[] = readdirSync(INFRA, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.bicep(param)?$/.test(name))
  .map((name) => join('infra', name))
  .sort();

const parser = await createParser();

async function createParser(): Promise<Parser> {
  await Parser.init();
  const wasm = createRequire(import.meta.url).resolve('tree-sitter-bicep/tree-sitter-bicep.wasm');
  return new Parser().setLanguage(await Language.load(wasm));
}

/** The tree of a file. A parameter file's `param x = …` gets a type first: the grammar knows the declaration only. */
export function parseBicep(file: string): Node {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return parseText(file.endsWith('param') ? text.replaceAll(/^(param \w+) =/gm, '$1 string =') : text);
}

/** The tree of a text. */
export function parseText(text: string): Node {
  const tree = parser.parse(text);
  if (tree === null) throw new Error('Expected a tree, got none.');
  return tree.rootNode;
}

/** Where a tree has something that the grammar does not know, as `line: text`. */
export function faults(root: Node): string[] {
  return descendants(root)
    .filter((node) => node.isError || node.isMissing)
    .map((node) => `${node.startPosition.row + 1}: ${node.text.slice(0, 80)}`);
}

/** `node` and all nodes below it. */
export function descendants(node: Node): Node[] {
  return [node, ...node.children.flatMap((child) => (child === null ? [] : descendants(child)))];
}

/** All nodes of a type in a file. */
export const nodesOf = (file: string, type: string): Node[] =>
  descendants(parseBicep(file)).filter((node) => node.type === type);

/** A string's text without quotes; undefined where it is no plain string. */
export const plainText = (node: Node | undefined): string | undefined => /^'([^'$\\]*)'$/.exec(node?.text ?? '')?.[1];

/** The value of a variable or parameter of a file, as a node. */
export function declaredValue(file: string, name: string): Node {
  const found = descendants(parseBicep(file)).find(
    (node) =>
      /^(variable|parameter)_declaration$/.test(node.type) &&
      node.namedChildren.some((child) => child?.type === 'identifier' && child.text === name),
  );
  const value = found?.namedChildren.at(-1);
  if (!value) throw new Error(`Expected ${file} to declare "${name}".`);
  return value;
}

/** The keys of an object, nested ones left out. */
export const keysOf = (object: Node): string[] => properties(object).map(([key]) => key);

/** Keys and values of an object. */
export function properties(object: Node): [string, Node][] {
  return object.namedChildren.flatMap((child): [string, Node][] => {
    const [key, value] = [child?.namedChildren[0], child?.namedChildren.at(-1)];
    return child?.type === 'object_property' && key && value ? [[key.text.replaceAll("'", ''), value]] : [];
  });
}
