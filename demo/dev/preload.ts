import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the app imports at its start, but for the Functions library, which belongs to the host that runs it. */
const PACKAGES = [
  '@azure/data-tables',
  '@azure/identity',
  '@azure/service-bus',
  '@azure/storage-blob',
  '@azure/storage-queue',
  '@opentelemetry/api',
  'piscina',
  'zod',
];

/** Has Node load what strips types: an edited file is in no cache of compiled code. The warning is that this may change. */
const STRIP = `import { stripTypeScriptTypes } from 'node:module';
const { emitWarning } = process;
process.emitWarning = () => {};
stripTypeScriptTypes('let one: 1;');
process.emitWarning = emitWarning;
`;

/** Writes a module that imports them into the folder, and returns its path. Packages are found from there as from a copy. */
export function writePreload(folder: string): string {
  const path = join(folder, 'preload.mjs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, [...PACKAGES.map((name) => `import '${name}';\n`), STRIP].join(''));
  return path;
}
