import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** Returns the version of the package, both in the sources and in the build. */
export function packageVersion(): string {
  const file = findPackageJSON(import.meta.url);
  return (JSON.parse(readFileSync(String(file), 'utf8')) as { version: string }).version;
}
