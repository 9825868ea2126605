import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages that the app imports when it starts, except the Functions library, which belongs to the host. */
const PACKAGES = [
  '@azure/data-tables',
  '@azure/service-bus',
  '@azure/storage-blob',
  '@azure/storage-queue',
  '@opentelemetry/api',
  'piscina',
  'zod',
];

/**
 * Makes Node load its type stripper, because an edited file is in no cache of compiled code. Suppresses the warning
 * that this API may change.
 */
const STRIP = `import { stripTypeScriptTypes } from 'node:module';
const { emitWarning } = process;
process.emitWarning = () => {};
stripTypeScriptTypes('let one: 1;');
process.emitWarning = emitWarning;
`;

/** Writes a module that imports the packages, where this package finds them, to the folder and returns its path. */
export function writePreload(folder: string): string {
  const path = join(folder, 'preload.mjs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, [...PACKAGES.map((name) => `import '${import.meta.resolve(name)}';\n`), STRIP].join(''));
  return path;
}
