import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { licences } from './licences.ts';

/**
 * The packages that are built into dist/, so that an app does not install them: they take 100 MB, of which the build uses 3. An
 * app that uses OpenTelemetry itself is also not bound to our versions of it: both meet in `@opentelemetry/api`.
 */
const BUILT_IN = [
  '@azure/identity',
  '@azure/monitor-opentelemetry-exporter',
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace-base',
];

/** Shared with the app, because it holds what is registered for the process. */
const SHARED = ['@opentelemetry/api'];

/** The licences of what is built in, in dist/. */
export const LICENCES = 'licences-of-built-in.txt';

/** For CommonJS packages inside an ES module. `sluice package` adds a banner with another name to files that contain this one. */
const BANNER = [
  "import { createRequire as builtInRequire } from 'node:module';",
  'const require = builtInRequire(import.meta.url);',
].join('\n');

/**
 * Replaces the modules below `root`/dist that import packages of the list by bundles of themselves with these packages. What
 * they import from elsewhere stays an import. Packages that a module imports on demand are chunks, which are also loaded on
 * demand. Throws an Error if no module imports them.
 */
export async function buildIn(root: string): Promise<void> {
  const dist = join(root, 'dist');
  const entryPoints = await modulesThatImport(dist, BUILT_IN);
  if (entryPoints.length === 0) throw new Error(`Expected modules in ${dist} that import ${BUILT_IN.join(', ')}.`);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: dist,
    outbase: dist,
    allowOverwrite: true,
    plugins: [onlyBuiltIn],
    conditions: [],
    bundle: true,
    splitting: true,
    chunkNames: 'shared/built-in/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22.15',
    banner: { js: BANNER },
    external: SHARED,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
  await writeFile(join(dist, LICENCES), await licences(root, metafile, []));
}

/** Leaves each import of our own modules as it is, except those of packages of the list. */
const onlyBuiltIn: Plugin = {
  name: 'sluice-only-built-in',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point' || importer.includes(`${sep}node_modules${sep}`)) return undefined;
      return BUILT_IN.includes(path) ? undefined : { path, external: true };
    });
  },
};

/** Returns the paths of the scripts in a folder that import a package of these, statically or on demand. */
async function modulesThatImport(folder: string, packages: readonly string[]): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  const found: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const text = await readFile(join(folder, file), 'utf8');
    if (packages.some((name) => text.includes(`from '${name}'`) || text.includes(`import('${name}')`)))
      found.push(join(folder, file));
  }
  return found.sort();
}
