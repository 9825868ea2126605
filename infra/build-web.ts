/** The last step of `npm run build`: puts the built dashboard in the place of the empty module that tsc wrote. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { webAssets } from './packaging/web-assets.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist/web');
const { source } = await webAssets(root);
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'assets.js'), source);
