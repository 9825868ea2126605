/** Checks source files against the tables of rooms and effects. Pure: the caller reads the files. */
import { posix } from 'node:path';
import { findCircles } from './circles.ts';
import { EFFECTS, type Effect, ORCHESTRATORS } from './effects.ts';
import { type Import, readSource, type Source } from './read-source.ts';
import { ROOMS, type Room } from './rooms.ts';

/** A file, and what was found in it without other files. */
interface Checked {
  text: string;
  source: Source;
  /** The files that it imports. */
  targets: readonly string[];
  registersOrchestrator: boolean;
  breaches: readonly string[];
}
type Tree = ReadonlyMap<string, Checked>;

/** Returns a message for each violation of a rule in the files (path → text). */
export function checkBoundaries(files: Readonly<Record<string, string>>): string[] {
  const tree: Tree = new Map(Object.entries(files).map(([file, text]) => [file, checkOnce(file, text)]));
  const own = [...tree.values()].flatMap(({ breaches }) => breaches);
  return [...own, ...orchestratorBreaches(tree), ...circleBreaches(tree), ...folderBreaches(tree)];
}

/** Returns all files and folders that the tables contain. */
export const pathsOfTables = (): string[] => [
  ...new Set([
    ...ROOMS.flatMap(({ path, imports, types = [] }) => [path, ...imports, ...types]),
    ...EFFECTS.flatMap(({ allowed }) => allowed),
    ...ORCHESTRATORS.files,
  ]),
];

/** Returns the imports that a room is permitted but does not use, as values or as types. */
export function unusedPermissions(files: Readonly<Record<string, string>>, room: string): string[] {
  const inside = Object.keys(files).filter((file) => roomOf(file)?.path === room);
  const used = inside.flatMap((file) =>
    checkOnce(file, files[file] ?? '').source.imports.map((each) => ({
      ...each,
      target: isFile(each) ? targetOf(file, each) : undefined,
    })),
  );
  const { imports = [], types = [], packages = [], packageTypes = [] } = ROOMS.find(({ path }) => path === room) ?? {};
  return [
    ...[...imports, ...types].filter((path) => !used.some(({ target }) => target && isBelow(target, [path]))),
    ...[...packages, ...packageTypes].filter((name) => !used.some(({ specifier }) => isPackage(specifier, [name]))),
  ];
}

const known = new Map<string, Checked>();

/** Caches results by text, because a mutation changes one file in a thousand. */
function checkOnce(file: string, text: string): Checked {
  const before = known.get(file);
  if (before?.text === text) return before;
  const source = readSource(file, text);
  const now = {
    text,
    source,
    targets: source.imports.filter(isFile).map((each) => targetOf(file, each)),
    registersOrchestrator: [...source.names].some((name) => isLike(name, ORCHESTRATORS.registeredBy)),
    breaches: [...inRoom(file, source), ...withoutEffects(file, source)],
  };
  known.set(file, now);
  return now;
}

const isBelow = (file: string, paths: readonly string[]): boolean =>
  paths.some((path) => file === path || path === '' || (path.endsWith('/') && file.startsWith(path)));

const isPackage = (specifier: string, names: readonly string[]): boolean =>
  names.some((name) => name === '*' || isLike(specifier, name) || specifier.startsWith(`${name}/`));

/** Whether a text matches a pattern, in which `*` stands for any text. */
const isLike = (text: string, pattern: string): boolean => {
  const [start = '', end] = pattern.split('*');
  return end === undefined ? text === pattern : text.startsWith(start) && text.endsWith(end);
};

const isFile = ({ specifier }: Import): boolean => specifier.startsWith('.');
const targetOf = (file: string, { specifier }: Import): string => posix.join(posix.dirname(file), specifier);

function roomOf(file: string): Room | undefined {
  const fitting = ROOMS.filter(({ path }) => isBelow(file, [path]));
  return fitting.toSorted((a, b) => b.path.length - a.path.length)[0];
}

function inRoom(file: string, source: Source): string[] {
  const room = roomOf(file);
  if (!room) return [`${file} is in no room of the table`];
  return source.imports.flatMap((each) => {
    const what = isFile(each) ? targetOf(file, each) : `package ${each.specifier}`;
    if (mayImport(room, file, each)) return [];
    const asTypes = !each.isType && mayImport(room, file, { ...each, isType: true });
    return [`${file} imports ${what}: ${room.path} may import ${asTypes ? 'only its types' : 'nothing of it'}`];
  });
}

function mayImport(room: Room, file: string, each: Import): boolean {
  const { path, imports, types = [] } = room;
  if (!isFile(each)) return mayImportPackage(room, each);
  return isBelow(targetOf(file, each), [path, ...imports, ...(each.isType ? types : [])]);
}

function mayImportPackage(
  { packages, noPackages = [], packageTypes = [] }: Room,
  { specifier, isType }: Import,
): boolean {
  if (isPackage(specifier, noPackages)) return false;
  return isPackage(specifier, isType ? [...packages, ...packageTypes] : packages);
}

function withoutEffects(file: string, source: Source): string[] {
  return EFFECTS.filter(({ allowed }) => !isBelow(file, allowed)).flatMap((effect) => {
    const used = effectsIn(source, effect);
    return used.length === 0 ? [] : [`${file} uses ${used.join(', ')}: it may not reach ${effect.name}`];
  });
}

const effectsIn = (source: Source, { uses, modules }: Pick<Effect, 'uses' | 'modules'>): string[] => [
  ...[...source.names].filter((name) => uses.some((use) => isLike(name, use))),
  ...source.imports.filter((each) => !each.isType && modules.includes(each.specifier)).map((each) => each.specifier),
];

function orchestratorBreaches(tree: Tree): string[] {
  const { files, packages, uses } = ORCHESTRATORS;
  const roots = [...tree].filter(([file, { registersOrchestrator }]) => registersOrchestrator && isOfApp(file));
  const reached = new Set(roots.map(([file]) => file));
  const breaches: string[] = [];
  for (const file of reached) {
    const source = tree.get(file)?.source;
    if (!source) continue;
    if (!files.includes(file)) {
      breaches.push(`${file} is loaded by an orchestrator: it is not in the list of such files`);
      continue;
    }
    for (const each of source.imports.filter(({ isType }) => !isType)) {
      if (isFile(each)) reached.add(targetOf(file, each));
      else if (!isPackage(each.specifier, packages)) {
        breaches.push(`${file} imports package ${each.specifier}: it is loaded by an orchestrator`);
      }
    }
    const used = [{ uses, modules: [] }, ...EFFECTS].flatMap((effect) => effectsIn(source, effect));
    breaches.push(
      ...used.map((use) => `${file} uses ${use}: it is loaded by an orchestrator`),
      ...source.state.map((name) => `${file} has the module variable ${name}: it is loaded by an orchestrator`),
    );
  }
  return breaches;
}

/** The tests of the local stack register orchestrators of all kinds. */
const isOfApp = (file: string): boolean => !isBelow(file, ['tests/', 'packages/']);

const circleBreaches = (tree: Tree): string[] =>
  findCircles(new Map([...tree].map(([file, { targets }]) => [file, targets]))).map(
    (circle) => `circle: ${[...circle, circle[0]].join(' → ')}`,
  );

/** The app. In each folder of a room, the files and folders that it contains must not import each other in a circle. */
const ORDERED = 'shared/';
/** Here, only imports of values count: the type of a route names the parts of all of them, and views the schemas. */
const TYPES_MAY_CIRCLE = ['shared/http/'];

/** Circles with at least one folder: circles of files are found without it, and the table orders the rooms. */
function folderBreaches(tree: Tree): string[] {
  const folders = new Map<string, Map<string, string[]>>();
  for (const [file, { source }] of tree) {
    for (const each of source.imports.filter(isFile)) {
      const target = targetOf(file, each);
      if (!isBelow(file, [ORDERED]) || !isBelow(target, [ORDERED])) continue;
      if (each.isType && isBelow(file, TYPES_MAY_CIRCLE)) continue;
      const { folder, from, to } = entriesOf(file, target);
      const graph = folders.get(folder) ?? new Map<string, string[]>();
      folders.set(folder, graph);
      if (from !== to && folder !== ORDERED) graph.set(from, [...(graph.get(from) ?? []), to]);
    }
  }
  return [...folders].flatMap(([folder, graph]) =>
    findCircles(graph)
      .filter((circle) => circle.some((entry) => !entry.includes('.')))
      .map((circle) => `circle in ${folder}: ${[...circle, circle[0]].join(' → ')}`),
  );
}

/** The folder that contains both files, and the entry of it (a file or a folder) in which each of them is. */
function entriesOf(file: string, target: string): { folder: string; from: string; to: string } {
  const [a, b] = [file.split('/'), target.split('/')];
  const common = a.findIndex((part, n) => part !== b[n]);
  const depth = common < 0 ? a.length - 1 : Math.min(common, a.length - 1, b.length - 1);
  return { folder: `${a.slice(0, depth).join('/')}/`, from: a[depth] ?? '', to: b[depth] ?? '' };
}
