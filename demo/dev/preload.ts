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

/** Writes a module that imports them into the folder, and returns its path. Packages are found from there as from a copy. */
export function writePreload(folder: string): string {
  const path = join(folder, 'preload.mjs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, PACKAGES.map((name) => `import '${name}';\n`).join(''));
  return path;
}
