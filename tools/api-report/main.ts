/** `npm run api-report`: writes the reports of the public API, and the table of its modules. Needs a build. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER, PAGE, withEntries } from './entries.ts';
import { reportsOf } from './reports.ts';

const root = join(import.meta.dirname, '../..');
const reports = reportsOf(root);
rmSync(join(root, FOLDER), { recursive: true, force: true });
mkdirSync(join(root, FOLDER), { recursive: true });
for (const [name, text] of Object.entries(reports)) writeFileSync(join(root, FOLDER, name), text);
const page = join(root, PAGE);
writeFileSync(page, withEntries(readFileSync(page, 'utf8'), root));
