import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Returns the folder of the package, both for the sources and for the build. */
export const packageRoot = (): string => dirname(String(findPackageJSON(import.meta.url)));

/** Returns the version of the package. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;
}
