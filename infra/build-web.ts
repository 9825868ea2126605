/** The last step of `npm run build`: replaces the empty module that tsc wrote with the built dashboard. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { webAssets } from './packaging/web-assets.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist/web');
const { source } = await webAssets(root);
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'assets.js'), source);
