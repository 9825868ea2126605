/** `node infra/release.ts <tag>`: prints the notes of a release, or fails with all differences between tag and files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASED, releaseNotes } from './packaging/release.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, '..', file), 'utf8');

try {
  const notes = releaseNotes(process.argv[2] ?? '', {
    app: read('package.json'),
    packages: Object.fromEntries(RELEASED.map((folder) => [folder, read(`packages/${folder}/package.json`)])),
    azureYaml: read('azure.yaml'),
    changelog: read('CHANGELOG.md'),
  });
  console.log(notes);
} catch (error: unknown) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
