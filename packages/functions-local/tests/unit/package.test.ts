import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Manifest {
  bin: Record<string, string>;
  files: string[];
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** Packages that the sources import or resolve at run time. */
function importedPackages(): string[] {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const specifiers = sources.flatMap((text) =>
    [...text.matchAll(/(?:from |import\(|resolve\(|\)\(\s*)'([^'.][^']*)'/g)].map((match) => match[1] ?? ''),
  );
  const names = specifiers
    .filter((specifier) => !isBuiltin(specifier))
    .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(names)].sort();
}

describe('the package', () => {
  it('declares exactly the packages that it imports', () => {
    const { dependencies, peerDependencies } = manifest;
    // Apps depend on @azure/functions; the host itself never imports it.
    const declared = Object.keys({ ...dependencies, ...peerDependencies }).filter(
      (name) => name !== '@azure/functions',
    );
    expect(importedPackages()).toEqual(declared.sort());
  });

  it('contains its command and the files that the command loads', () => {
    expect(readFileSync(join(ROOT, manifest.bin['functions-local'] ?? ''), 'utf8')).toContain('../dist/cli/main.js');
    expect(manifest.files).toEqual(['bin', 'dist', '!dist/**/*.map']);
  });
});
