import { Script } from 'node:vm';

const REGISTRY = /createRegistry\(\[([^\]]*)\]\)/;
const IMPORT = /^import \w+ from '\.\/([\w-]+)\.ts';\n/gm;
const ANY_IMPORT = /^import .*;\n/gm;

/** Returns the import name of a workload in workloads/index.ts: `rate-usage` → `rateUsage`; undefined for a reserved word. */
export function importName(name: string): string | undefined {
  const camel = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  try {
    // Compiled, not run: V8 knows the reserved words.
    new Script(`'use strict'; (async () => { let ${camel}; })`);
    return ['registry', 'createRegistry', 'await'].includes(camel) ? undefined : camel;
  } catch {
    return undefined;
  }
}

/** Adds a workload to the text of workloads/index.ts, imports in order. Returns undefined if there is no place for it. */
export function addToIndex(text: string, name: string): string | undefined {
  const imported = importName(name);
  if (imported === undefined || !REGISTRY.test(text)) return undefined;
  const line = `import ${imported} from './${name}.ts';\n`;
  const imports = [...text.matchAll(IMPORT)];
  const next = imports.find(([, other = '']) => other > name);
  // The first workload comes after the other imports.
  const last = imports.at(-1) ?? [...text.matchAll(ANY_IMPORT)].at(-1);
  const place = next?.index ?? (last ? last.index + last[0].length : undefined);
  if (place === undefined) return undefined;
  const listed = text.slice(0, place) + line + text.slice(place);
  return listed.replace(REGISTRY, (_, list: string) => `createRegistry([${[...entries(list), imported].join(', ')}])`);
}

const entries = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
