import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppFiles, readFiles } from '../app-files.ts';

/** Folders whose files are the app, and single files. */
export const WATCHED = {
  folders: ['functions', 'shared', 'workloads'],
  files: ['host.json', 'local.settings.json'],
} as const;

/** The dashboard, as `npm run dev` builds it at its start, and the module of the app that contains it. */
const BUILT_DASHBOARD = 'dist/web/assets.js';
const DASHBOARD = 'web/assets.ts';

/**
 * Reads the app in a form that Node runs without a build: its sources, from which Node strips the types, with a
 * package.json that lists them. The dashboard is a module of strings, empty until it is built.
 */
export function readSources(root: string): AppFiles {
  const files = new Map(readFiles(root, [...WATCHED.folders, ...WATCHED.files, DASHBOARD]));
  const built = readFiles(root, [BUILT_DASHBOARD]).get(BUILT_DASHBOARD);
  if (built) files.set(DASHBOARD, built);
  files.set('package.json', Buffer.from(`${JSON.stringify(packageOf(root))}\n`));
  return files;
}

/** The exports of a package that offers its sources: the module by subpath, or its name by condition. */
type Exports = Readonly<Record<string, string | { source?: string }>>;

/** An app may refer to itself by its name, as this one does: then to its sources. */
function packageOf(root: string): unknown {
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  const { name, exports = {} } = JSON.parse(text) as { name?: string; exports?: Exports };
  const sources = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'object' && target.source !== undefined ? [[path, target.source]] : [],
  );
  return { name, type: 'module', main: 'functions/*.ts', exports: Object.fromEntries(sources) };
}
