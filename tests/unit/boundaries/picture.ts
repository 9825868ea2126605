/** Draws the folders of the app and their imports, from the imports of their files. */
import { posix } from 'node:path';
import { readSource } from './read-source.ts';

/** Folders that are not part of the app, or belong to all of it. */
const APART = new Set(['tests', 'bench', 'packages', 'docs', 'infra', 'demo', 'local', 'tools']);

/**
 * Returns the folder that a file is drawn as: a room of `shared/`, or a folder of the top level; undefined if it is not
 * drawn.
 */
function nodeOf(file: string): string | undefined {
  const [top = '', second = '', ...rest] = file.split('/');
  if (APART.has(top) || second === '') return undefined;
  if (top !== 'shared') return top;
  return rest.length > 0 ? second : file === 'shared/pipeline.ts' ? 'pipeline.ts' : undefined;
}

/** A Mermaid flow chart: an arrow for each import of values that does not follow from other arrows. */
export function drawRooms(files: Readonly<Record<string, string>>): string {
  const graph = graphOf(files);
  const arrows = [...graph].flatMap(([from, targets]) =>
    [...targets].filter((to) => !isIndirect(graph, from, to)).map((to) => `  ${from} --> ${to}`),
  );
  return ['```mermaid', 'flowchart TD', ...arrows.sort(), '```'].join('\n');
}

function graphOf(files: Readonly<Record<string, string>>): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [file, text] of Object.entries(files)) {
    const from = nodeOf(file);
    if (from === undefined) continue;
    for (const { specifier, isType } of readSource(file, text).imports) {
      const to = specifier.startsWith('.') ? nodeOf(posix.join(posix.dirname(file), specifier)) : undefined;
      if (to === undefined || to === from || isType) continue;
      graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return graph;
}

/** Whether a path leads from `from` to `to` through another node. */
function isIndirect(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set([...(graph.get(from) ?? [])].filter((next) => next !== to));
  for (const at of seen) for (const next of graph.get(at) ?? []) seen.add(next);
  return seen.has(to);
}
