import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import type { DashboardAssets, DashboardFile } from '../../shared/http/edge/app.ts';

/** The module that replaces web/assets.ts, and its inputs. */
export interface WebAssets {
  source: string;
  metafile: Metafile;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Bundles the dashboard in web/ into a script, a style sheet and an icon, as strings of a module. The same input gives the
 * same bytes.
 */
export async function webAssets(root: string): Promise<WebAssets> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { app: join(root, 'web/main.tsx') },
    outdir: join(root, 'dist/web'),
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning',
  });
  const built = result.outputFiles.map(({ path, text }) => fileOf(basename(path), text));
  const files = [...built, await iconOf(root)];
  const page = pageOf(await readFile(join(root, 'web/index.html'), 'utf8'), files);
  return { source: moduleOf({ page, files }), metafile: result.metafile };
}

function fileOf(name: string, text: string): DashboardFile {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
  if (type === undefined) throw new Error(`Expected a script, style sheet or icon of the dashboard, got ${name}.`);
  return { name, type, text, brotli: brotliOf(text) };
}

/**
 * Compresses at build time, because the script takes half a second: too long for the first request of a process. Quality 11
 * takes three times as long.
 */
const brotliOf = (text: string): string =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }).toString('base64');

async function iconOf(root: string): Promise<DashboardFile> {
  const text = await readFile(join(root, 'web/icon.svg'), 'utf8');
  return fileOf(`icon-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.svg`, text);
}

/** Replaces `{js}`, `{css}` and `{svg}` in the page with the names of the files. */
const pageOf = (template: string, files: readonly DashboardFile[]): string =>
  template.replace(/\{(js|css|svg)\}/g, (_, ending: string) => {
    const file = files.find(({ name }) => name.endsWith(`.${ending}`));
    if (!file) throw new Error(`Expected the build of the dashboard to create a .${ending} file.`);
    return `{base}${file.name}`;
  });

const moduleOf = (assets: DashboardAssets): string => `export const assets = ${JSON.stringify(assets)};\n`;
