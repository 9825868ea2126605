/** Writes the tables of facts about the platform to the documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { platformPages } from './pages.ts';

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);

for (const [path, text] of Object.entries(platformPages((path) => readFileSync(at(path), 'utf8'))))
  writeFileSync(at(path), text);
