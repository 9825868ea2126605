import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { NATIVE_PACKAGES } from './native.ts';
import { webAssets } from './web-assets.ts';

/** What a bundle is made from, and where it goes. */
export interface BundleOptions {
  /** Folder that holds functions/, workloads/ and node_modules/. */
  root: string;
  /** Folder that gets functions/main.js, workloads/thread.js and what they share. It is emptied first. */
  outDir: string;
}

/**
 * For the CommonJS packages inside an ES module: `require` has to be Node's own, since it is there that the Functions
 * worker answers `require('@azure/functions-core')`.
 */
const BANNER = [
  "import { createRequire as sluiceCreateRequire } from 'node:module';",
  'const require = sluiceCreateRequire(import.meta.url);',
].join('\n');

/**
 * Bundles the app: every file in functions/ into functions/main.js, the worker thread into workloads/thread.js, and
 * piscina's own worker beside the chunk that starts it. Not minified: stack traces in the logs stay readable, and
 * the zip is small enough as it is. The dashboard goes in as a module of strings. Source maps go along for the files that
 * hold workloads: dead letters name the line in the source. Same input, same bytes.
 */
export async function bundle({ root, outDir }: BundleOptions): Promise<Metafile> {
  const main = await mainSource(root);
  const web = await webAssets(root);
  await rm(outDir, { recursive: true, force: true });
  const built = join(root, 'dist');
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    // Not where the files go: paths in source maps are relative to this, and lead to the sources of a deployed package.
    outdir: built,
    write: false,
    outbase: root,
    entryPoints: [
      { in: 'sluice:main', out: 'functions/main' },
      { in: join(root, 'workloads/thread.ts'), out: 'workloads/thread' },
      { in: piscinaWorker(), out: 'functions/worker' },
    ],
    plugins: [virtualMain(root, main), builtWeb(web.source)],
    bundle: true,
    // Shared chunks, not copies: thread and piscina's worker recognise each other's objects by symbols of one module.
    splitting: true,
    chunkNames: 'functions/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22.15',
    banner: { js: BANNER },
    // Where piscina looks for its worker file, beside the chunk it is in.
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    // The first is made by the Functions worker; the second is optional and native, and only asked for by `niceIncrement`.
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
  return { inputs: { ...inputs, ...web.metafile.inputs }, outputs };
}

/** All maps together are as large as the scripts. */
const isDeployed = ({ path, text }: OutputFile): boolean =>
  !path.endsWith('.map') || (JSON.parse(text) as { sources: string[] }).sources.some(isWorkload);

const isWorkload = (source: string): boolean => source.startsWith('../../workloads/');

/** The entry: an import of every file in functions/, each of which registers its function. */
async function mainSource(root: string): Promise<string> {
  const files = (await readdir(join(root, 'functions'))).filter((name) => name.endsWith('.ts')).sort();
  if (files.length === 0) throw new Error(`Expected functions to bundle, found none in ${join(root, 'functions')}.`);
  return files.map((name) => `import './${name}';\n`).join('');
}

/** The file that piscina starts its threads from; not exported by the package, so found beside its main file. */
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

/** The built dashboard in the place of the empty module in the sources. */
function builtWeb(contents: string): Plugin {
  return {
    name: 'sluice-web',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]web[\\/]assets\.ts$/ }, () => ({ contents, loader: 'js' }));
    },
  };
}
