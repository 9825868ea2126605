/** Writes the parts of the main package into the template, which a packed one has no other access to. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appParts } from './src/parts.js';

const { files, versions } = await appParts();
const template = join(import.meta.dirname, 'template');
for (const [name, text] of Object.entries(files)) await writeFile(join(template, name), text);
await writeFile(join(template, 'versions.json'), `${JSON.stringify(versions, null, 2)}\n`);
