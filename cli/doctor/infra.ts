import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Registry } from '../../shared/workload/registry.ts';
import { deploymentFiles, GENERATED_FILES } from '../azure/generate.ts';
import { AZURE_FILE, CONTAINERS_FILE, POOLS_FILE } from '../azure/pools.ts';
import { didYouMean } from '../text/nearest.ts';
import { type App, type Finding, parseJson } from './app.ts';
import { blockAfter, keysOf, parametersOf } from './bicep-text.ts';

const MAIN = 'infra/main.bicep';
const PARAMETERS = 'infra/main.bicepparam';
const MODULE = /^module \w+ '([^'\n]*sluice\/infra\/main\.bicep)'\s*=/m;

/** Compares the template of the app with the module of the package, and the parameter file with the template. */
export function checkTemplate(app: App): Finding[] {
  const [text, parameters] = [app.read(MAIN), app.read(PARAMETERS)];
  if (text === undefined) return [];
  const given = [...(parameters ?? '').matchAll(/^param (\w+) =/gm)].map(([, name = '']) => name);
  return [
    ...(parameters === undefined ? [] : checkParameters(PARAMETERS, given, text)),
    ...(app.isPackage ? [] : checkModule(app, text)),
  ];
}

function checkModule({ folder }: App, text: string): Finding[] {
  const place = { file: MAIN, key: 'module' };
  const expected = "a module '../node_modules/sluice/infra/main.bicep'";
  const [, path] = MODULE.exec(text) ?? [];
  if (path === undefined)
    return [{ ...place, expected, found: 'nothing', fix: 'add the module: docs/deploy.md, An app of its own' }];
  const file = resolve(folder, dirname(MAIN), path);
  if (!existsSync(file)) return [{ ...place, expected, found: path, fix: 'npm install, or correct the path' }];
  const given = keysOf(blockAfter(blockAfter(text, MODULE) ?? '', /^\s*params:/m) ?? '');
  return checkParameters(MAIN, given, readFileSync(file, 'utf8'));
}

/** Compares the parameters that a file passes with those of a template. */
function checkParameters(file: string, given: readonly string[], template: string): Finding[] {
  const declared = parametersOf(template);
  const names = declared.map(({ name }) => name);
  const missing = declared.filter(({ name, isRequired }) => isRequired && !given.includes(name));
  const unknown = given.filter((name) => !names.includes(name));
  return [
    ...missing.map(({ name: key }) => ({
      ...{ file, key, expected: 'a value: the parameter has no default', found: 'nothing', fix: `pass ${key}` },
    })),
    ...unknown.map((key) => ({
      ...{ file, key, expected: 'a parameter of the template', found: key },
      fix: `rename or remove it.${didYouMean(key, names)}`,
    })),
  ];
}

/** Compares the files that follow from the workloads with what `sluice azure generate` would write. */
export function checkGenerated({ read }: App, registry: Pick<Registry, 'workloads' | 'containers'>): Finding[] {
  if (read(MAIN) === undefined) return [];
  const present = Object.fromEntries(GENERATED_FILES.map((file) => [file, read(file)]));
  const { pools, files } = deploymentFiles(registry, present);
  return Object.entries(files).flatMap(([file, text]) => {
    const own = present[file];
    const contentOf = (json: string): unknown => (file === AZURE_FILE ? json : parseJson(file, json));
    if (own !== undefined && isDeepStrictEqual(contentOf(own), contentOf(text))) return [];
    const shown = file === CONTAINERS_FILE ? text.trim() : `the pools ${namesOf(pools)}`;
    const found =
      file === AZURE_FILE ? 'other services' : file === POOLS_FILE ? namesOf(contentOf(own ?? '[]')) : own?.trim();
    return [
      {
        ...{ file, key: '', expected: `${shown}, as in the workloads`, found: found || 'nothing' },
        fix: 'npx sluice azure generate',
      },
    ];
  });
}

const namesOf = (pools: unknown): string => (pools as readonly { name: string }[]).map(({ name }) => name).join(', ');
