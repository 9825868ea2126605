import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the package that this file belongs to, in the sources as in the build. */
export function packageVersion(): string {
  const file = findPackageJSON(import.meta.url);
  const { version } = JSON.parse(readFileSync(String(file), 'utf8')) as { version: string };
  return version;
}
