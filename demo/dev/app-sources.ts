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
 * A module that only the copy has: it starts worker threads early, because the user waits for the first chunk after
 * each reload.
 */
const THREADS = {
  name: 'functions/start-threads.ts',
  code: "import { pipeline } from './app.ts';\npipeline.startThreads();\n",
};

/**
 * Reads the app in a form that Node runs without a build: its sources, from which Node strips the types, with a
 * package.json that lists them. The dashboard is a module of strings, empty until it is built. Worker threads load in
 * parallel with the rest of the app.
 */
export function readSources(root: string): AppFiles {
  const files = new Map(readFiles(root, [...WATCHED.folders, ...WATCHED.files, DASHBOARD]));
  const built = readFiles(root, [BUILT_DASHBOARD]).get(BUILT_DASHBOARD);
  if (built) files.set(DASHBOARD, built);
  files.set(THREADS.name, Buffer.from(THREADS.code));
  files.set('package.json', Buffer.from('{"name":"sluice","type":"module","main":"functions/*.ts"}\n'));
  return files;
}
