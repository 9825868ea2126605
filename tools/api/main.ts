/** Writes the files that are derived from the table of routes. */
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

const ROOT = new URL('../../', import.meta.url);

for (const [path, text] of Object.entries(generatedFiles())) writeFileSync(new URL(path, ROOT), text);
