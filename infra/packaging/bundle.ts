import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { NATIVE_PACKAGES } from './native.ts';
import { isCheckout } from './own-package.ts';
import { BUILD } from './stamp-build.ts';
import { webAssets } from './web-assets.ts';

/** The input and output folders of a bundle. */
export interface BundleOptions {
  /** Folder with functions/, workloads/ and node_modules/. */
  root: string;
  /** Folder for functions/main.js, workloads/thread.js and their shared chunks. It is emptied first. */
  outDir: string;
  /** The content of host.json for the functions that import it; by default that of the app's file. */
  host?: string;
}

/**
 * Defines `require` for CommonJS packages inside an ES module. It must be that of Node.js, because the Functions worker patches
 * it to resolve '@azure/functions-core'.
 */
const BANNER = [
  "import { createRequire as sluiceCreateRequire } from 'node:module';",
  'const require = sluiceCreateRequire(import.meta.url);',
].join('\n');

/**
 * Bundles the app: every file in functions/ into functions/main.js, the worker thread into workloads/thread.js, and the worker of
 * piscina next to the chunk that starts it. Does not minify, so that stack traces in the logs are readable; the zip is small
 * enough. Includes the dashboard as a module of strings, and source maps of the files with workloads, so that dead letters
 * contain source lines. The same input gives the same bytes.
 */
export async function bundle({ root, outDir, host }: BundleOptions): Promise<Metafile> {
  const main = await mainSource(root);
  // An installed package contains the built dashboard.
  const web = isCheckout(root) ? await webAssets(root) : undefined;
  await rm(outDir, { recursive: true, force: true });
  const built = join(root, 'dist');
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    // Not the output folder: paths in source maps are relative to this folder, so that they match the sources of a deployed package.
    outdir: built,
    write: false,
    outbase: root,
    entryPoints: [
      { in: 'sluice:main', out: 'functions/main' },
      { in: join(root, 'workloads/thread.ts'), out: 'workloads/thread' },
      { in: piscinaWorker(), out: 'functions/worker' },
    ],
    plugins: [
      virtualMain(root, main),
      ...(web ? [replaced(join(root, 'web/assets.ts'), web.source, 'js')] : []),
      ...(host === undefined ? [] : [replaced(join(root, 'host.json'), host, 'json')]),
    ],
    // The checkout refers to itself by its name: with one condition for all, no module is there twice.
    conditions: isCheckout(root) ? ['source'] : [],
    bundle: true,
    // Shared chunks instead of copies: the thread and piscina's worker recognize each other's objects by symbols of one module.
    splitting: true,
    chunkNames: 'functions/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22.15',
    banner: { js: BANNER },
    // piscina searches its worker file next to its own chunk.
    define: {
      __dirname: 'import.meta.dirname',
      __filename: 'import.meta.filename',
      SLUICE_BUILD: JSON.stringify(BUILD),
    },
    // The Functions worker provides the first. The second is optional and native, and only loaded for `niceIncrement`.
    external: ['@azure/functions-core', '@napi-rs/nice', ...NATIVE_PACKAGES],
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles.filter(isDeployed)) {
    const file = join(outDir, relative(built, path));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
  const { inputs, outputs } = metafile;
  return { inputs: { ...inputs, ...web?.metafile.inputs }, outputs };
}

/**
 * Whether a file is deployed: all except source maps without workloads, because all maps together are as large as the scripts.
 */
const isDeployed = ({ path, text }: OutputFile): boolean =>
  !path.endsWith('.map') || (JSON.parse(text) as { sources: string[] }).sources.some(isWorkload);

const isWorkload = (source: string): boolean => source.startsWith('../../workloads/');

/** Returns the source of the entry: it imports every file in functions/, each of which registers its function. */
async function mainSource(root: string): Promise<string> {
  const files = (await readdir(join(root, 'functions'))).filter((name) => name.endsWith('.ts')).sort();
  if (files.length === 0) throw new Error(`Expected functions to bundle, found none in ${join(root, 'functions')}.`);
  return files.map((name) => `import './${name}';\n`).join('');
}

/** Returns the file from which piscina starts its threads. The package does not export it, but it is next to its main file. */
const piscinaWorker = (): string => join(dirname(fileURLToPath(import.meta.resolve('piscina'))), 'worker.js');

function virtualMain(root: string, contents: string): Plugin {
  return {
    name: 'sluice-main',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^sluice:main$/ }, ({ path }) => ({ path, namespace: 'sluice' }));
      onLoad({ filter: /.*/, namespace: 'sluice' }, () => ({
        contents,
        loader: 'ts',
        resolveDir: join(root, 'functions'),
      }));
    },
  };
}

/** Replaces the content of a file: the empty module of the dashboard with the built one, and host.json with that of the package. */
function replaced(file: string, contents: string, loader: 'js' | 'json'): Plugin {
  return {
    name: 'sluice-replaced',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/](assets\.ts|host\.json)$/ }, ({ path }) =>
        path === file ? { contents, loader } : undefined,
      );
    },
  };
}
