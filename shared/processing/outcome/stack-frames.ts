/** Finds where in the workload's own files an error came from. Costs nothing until there is an error. */
import { readFileSync } from 'node:fs';
import { findPackageJSON, SourceMap } from 'node:module';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_FRAME_CHARS = 200;
/** V8 keeps ten frames by default; a handler may have raised that number. */
const MAX_LINES = 50;
const MAX_LINE_CHARS = 1_000;
/** Code has few places. Generated code may have many. */
const MAX_PLACES = 10_000;

/** An anonymous async function has no name, and its place no parentheses: `at async file:///…:1:2`. */
const FRAME = /^ *at (?:(.*) \(|async )?(.*?):(\d+):(\d+)\)?$/;
/** In a deployed package, chunks without a source map contain bundled packages and code of the pipeline. */
const PACKAGE = /(?:^|\/)node_modules\/|^(?:dist\/)?functions\//;

/** The nearest folder with a package.json: of the sources, of the build in `dist/` and of the deployed package. */
const ROOT = dirname(findPackageJSON('.', import.meta.url) ?? fileURLToPath(import.meta.url));

/** A place in a file, relative to the app's root. `rank` orders the places that are shown; undefined if it is not shown. */
interface Place {
  text: string;
  rank: 'own' | 'package' | undefined;
}

/**
 * Returns the first `max` frames in files of the app that do not belong to the pipeline, or in packages if there are
 * none, such as `distribute (workloads/payouts/distribute.ts:27:11)`. Built files are shown as their sources if a source
 * map is stored beside them. `message` is the error's message, which precedes its frames.
 */
export function stackFrames(stack: string, message: string, max: number): string[] {
  const found = { own: [] as string[], package: [] as string[] };
  for (const line of linesBehind(stack, message)) {
    const [, name, file, row, column] = FRAME.exec(line) ?? [];
    if (file === undefined) continue;
    const { text, rank } = placeOf(file, Number(row), Number(column));
    if (rank === undefined) continue;
    found[rank].push((name === undefined ? text : `${name} (${text})`).slice(0, MAX_FRAME_CHARS));
    if (found.own.length === max) break;
  }
  return (found.own.length > 0 ? found.own : found.package).slice(0, max);
}

/** Skips the message, because it may have lines that look like frames. */
function linesBehind(stack: string, message: string): string[] {
  const at = stack.indexOf(message);
  const trace = stack.slice(at < 0 ? 0 : at + message.length).slice(0, MAX_LINES * MAX_LINE_CHARS);
  return trace.split('\n', MAX_LINES).filter((line) => line.length <= MAX_LINE_CHARS);
}

const places = new Map<string, Place>();

function placeOf(file: string, row: number, column: number): Place {
  const key = `${file}:${row}:${column}`;
  const known = places.get(key);
  if (known) return known;
  if (places.size >= MAX_PLACES) {
    places.clear();
    maps.clear();
  }
  const place = findPlace(file, row, column);
  places.set(key, place);
  return place;
}

function findPlace(file: string, row: number, column: number): Place {
  const path = pathOf(file);
  if (path === undefined) return { text: '', rank: undefined };
  const source = sourceOf(path, row, column);
  const shown = withinApp(source.path);
  return { text: `${shown}:${source.row}:${source.column}`, rank: rankOf(shown) };
}

/** Returns undefined for what is not a file: Node's own modules, `eval`, native functions. */
function pathOf(file: string): string | undefined {
  if (file.endsWith('<anonymous>')) return undefined;
  try {
    if (file.startsWith('file:')) return fileURLToPath(file);
  } catch {
    return undefined;
  }
  return isAbsolute(file) ? file : undefined;
}

/** Shows no path of the machine: of a file outside of the app, only the name. */
function withinApp(path: string): string {
  const inner = relative(ROOT, path).split(sep).join('/');
  const modules = inner.lastIndexOf('node_modules/');
  if (modules >= 0) return inner.slice(modules);
  return inner.startsWith('../') || isAbsolute(inner) ? inner.slice(inner.lastIndexOf('/') + 1) : inner;
}

/** The pipeline's own frames are below every handler, and say nothing about it. */
function rankOf(path: string): Place['rank'] {
  if (PACKAGE.test(path)) return 'package';
  return path.startsWith('shared/') || path.startsWith('dist/shared/') ? undefined : 'own';
}

/** Never larger than `places`, with which it is cleared. */
const maps = new Map<string, SourceMap | undefined>();

/** Not Node's `--enable-source-maps`, which a thread may not inherit. A map takes up to 100 ms, once per thread. */
function sourceOf(path: string, row: number, column: number): { path: string; row: number; column: number } {
  if (!maps.has(path)) maps.set(path, readMap(path));
  const entry = maps.get(path)?.findEntry(row - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry)) return { path, row, column };
  const source = resolve(dirname(path), entry.originalSource);
  return { path: source, row: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

/** Reads the source map, which compiler and bundler write beside the file. */
function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}
