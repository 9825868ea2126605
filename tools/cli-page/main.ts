/** Writes the help of the commands to docs/cli.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cliPage, PAGE } from './cli-page.ts';

const page = new URL(`../../${PAGE}`, import.meta.url);
writeFileSync(page, cliPage(readFileSync(page, 'utf8')));
