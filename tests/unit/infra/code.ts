import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './bicep.ts';

/** A source file of the app, without its comments. */
export interface Source {
  file: string;
  text: string;
}

/** Returns the source files in the given folders. */
export const sourcesIn = (...folders: string[]): Source[] =>
  folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => ({ file: join(folder, name), text: withoutComments(join(ROOT, folder, name)) })),
  );

const withoutComments = (path: string): string =>
  readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
