import { dirname, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this app: one level above the sources, two above the built files. */
export const ROOT = resolve(
  dirname(fileURLToPath(import.meta.url)),
  extname(import.meta.url) === '.ts' ? '..' : '../..',
);
