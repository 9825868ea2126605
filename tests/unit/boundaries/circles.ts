/** Finds circles in a graph: `[a, b]` for a → b → a. If circles share a node, it may return only one of them. */
export function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const seen = new Set<string>();
  for (const start of endless(graph)) {
    if (seen.has(start)) continue;
    const circle = pathTo(graph, start, start);
    if (!circle) continue;
    circles.push(circle);
    for (const member of circle) seen.add(member);
  }
  return circles;
}

/**
 * Returns the nodes from which a path leads into a circle: those left after nodes without successors are removed
 * repeatedly.
 */
function endless(graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const left = new Set(graph.keys());
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const file of left) if (!graph.get(file)?.some((next) => left.has(next))) left.delete(file);
  }
  return left;
}

/** Returns the nodes of a shortest path, without its end. */
function pathTo(graph: ReadonlyMap<string, readonly string[]>, from: string, to: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [from];
  for (const at of queue) {
    for (const next of graph.get(at) ?? []) {
      if (next === to) return wayBack(cameFrom, at, from);
      if (cameFrom.has(next) || next === from) continue;
      cameFrom.set(next, at);
      queue.push(next);
    }
  }
  return undefined;
}

function wayBack(cameFrom: ReadonlyMap<string, string>, end: string, start: string): string[] {
  const way = [end];
  for (let at = end; at !== start; ) {
    at = cameFrom.get(at) ?? start;
    way.unshift(at);
  }
  return way;
}
