/** `npm run api-report`: writes the reports of the public API, and the list of its modules. Needs a build. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesPage, FOLDER, PAGE } from './entries.ts';
import { reportsOf } from './reports.ts';

const root = join(import.meta.dirname, '../..');
const reports = reportsOf(root);
rmSync(join(root, FOLDER), { recursive: true, force: true });
mkdirSync(join(root, FOLDER), { recursive: true });
for (const [name, text] of Object.entries(reports)) writeFileSync(join(root, FOLDER, name), text);
writeFileSync(join(root, PAGE), entriesPage(root));
