/** Finds where in the workload's own files an error came from. Costs nothing until there is an error. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
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
    packages.clear();
  }
  const place = findPlace(file, row, column);
  places.set(key, place);
  return place;
}

function findPlace(file: string, row: number, column: number): Place {
  const path = pathOf(file);
  if (path === undefined) return { text: '', rank: undefined };
  const source = sourceOf(path, row, column);
  const { shown, isPipeline } = withinPackage(source.path);
  if (isPipeline) return { text: '', rank: undefined };
  return { text: `${shown}:${source.row}:${source.column}`, rank: PACKAGE.test(shown) ? 'package' : 'own' };
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

/** The name of the package that contains the pipeline. Its own frames are below every handler, and say nothing about it. */
const PIPELINE = 'sluice';

/**
 * Shows no path of the machine: the path within the nearest package, which is the app with its sources, its build in `dist/`,
 * or as it is deployed. Of a file outside of all packages, only the name.
 */
function withinPackage(path: string): { shown: string; isPipeline: boolean } {
  const slashed = path.split(sep).join('/');
  const modules = slashed.lastIndexOf('/node_modules/');
  if (modules >= 0) {
    const shown = slashed.slice(modules + 1);
    return { shown, isPipeline: shown.startsWith(`node_modules/${PIPELINE}/`) };
  }
  const about = aboutOf(dirname(path));
  if (about === undefined) return { shown: slashed.slice(slashed.lastIndexOf('/') + 1), isPipeline: false };
  const shown = relative(about.folder, path).split(sep).join('/');
  return { shown, isPipeline: /^(?:dist\/)?shared\//.test(shown) && about.name === PIPELINE };
}

/** The package.json of a package. */
interface About {
  folder: string;
  name: unknown;
}

/** By folder; few, because handlers are in few folders. */
const packages = new Map<string, About | undefined>();

/** Returns the nearest package.json. Does not use `findPackageJSON`, because the sources of a build may not exist. */
function aboutOf(folder: string): About | undefined {
  if (!packages.has(folder)) packages.set(folder, readAbout(folder) ?? aboveOf(folder));
  return packages.get(folder);
}

const aboveOf = (folder: string): About | undefined =>
  dirname(folder) === folder ? undefined : aboutOf(dirname(folder));

function readAbout(folder: string): About | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown };
    return { folder, name };
  } catch {
    return undefined;
  }
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
