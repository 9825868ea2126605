import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AZURE_COMMANDS } from '../azure/commands.ts';
import { AZURE_FILE } from '../azure/pools.ts';
import { didYouMean } from '../text/nearest.ts';
import type { App, Finding } from './app.ts';

/** Checks that `main` and the commands that scripts and hooks call exist. */
export function checkScripts(app: App): Finding[] {
  const { scripts = {} } = app.manifest;
  const calls = [
    ...Object.entries(scripts).map(([name, text]) => ({ file: 'package.json', key: `scripts.${name}`, text })),
    ...(app.read(AZURE_FILE) ?? '')
      .split('\n')
      .filter((line) => !/^\s*#/.test(line))
      .map((text) => ({ file: AZURE_FILE, key: text.trim(), text })),
  ];
  return [...checkMain(app), ...calls.flatMap((call) => checkCalls(app, call))];
}

/** The entry exists as it is, or, before a build, as the source that a build writes to dist/. */
function checkMain({ folder, manifest: { main } }: App): Finding[] {
  const place = { file: 'package.json', key: 'main' };
  const expected = 'the entry of the app, such as dist/app.js';
  if (main === undefined) return [{ ...place, expected, found: 'nothing', fix: 'set main' }];
  const source = main.replace(/^(?:\.\/)?dist\//, '').replace(/\.js$/, '.ts');
  const paths = [main, source, join('src', source)].map((path) => (path.includes('*') ? dirname(path) : path));
  if (paths.some((path) => existsSync(join(folder, path)))) return [];
  return [{ ...place, expected, found: `${main}, which does not exist`, fix: 'correct main, or build the app' }];
}

function checkCalls(
  { read, manifest }: App,
  { file, key, text }: { file: string; key: string; text: string },
): Finding[] {
  const names = Object.keys(manifest.scripts ?? {});
  const called = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
  const finding = (found: string, expected: string, fix: string): Finding => ({ file, key, expected, found, fix });
  return [
    ...called(/\bsluice (?:-- )?azure ([\w-]+)/g)
      .filter((name) => !AZURE_COMMANDS.includes(name))
      .map((name) =>
        finding(`sluice azure ${name}`, 'a command of sluice azure', `correct it.${didYouMean(name, AZURE_COMMANDS)}`),
      ),
    ...called(/\bsh infra\/([\w-]+)\.sh/g)
      .filter((name) => AZURE_COMMANDS.includes(name) && read(`infra/${name}.sh`) === undefined)
      .map((name) => finding(`sh infra/${name}.sh`, 'a script of the app', `call npx sluice azure ${name}`)),
    ...called(/\bnpm run (?:--silent |-s )?([\w:-]+)/g)
      .filter((name) => !names.includes(name))
      .map((name) => finding(`npm run ${name}`, 'a script of package.json', `add it.${didYouMean(name, names)}`)),
  ];
}
