import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Returns the address of a module that is given without its extension: `.ts` in the sources, `.js` in a build.
 * @throws Error if there is no such file
 */
export function existingModule(url: URL): URL {
  const found = ['.ts', '.js']
    .map((end) => new URL(`${url.href}${end}`))
    .find((each) => existsSync(fileURLToPath(each)));
  if (found === undefined) throw new Error(`Expected the file ${fileURLToPath(url)}.ts or .js, found neither.`);
  return found;
}
