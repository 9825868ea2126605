/**
 * Finds wording that is hard to read (patterns.ts) in all files of the repository: comments, messages, names and
 * documents. Exits with 1 if there is any.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { EXCEPTIONS } from './exceptions.ts';
import { findWords } from './find-words.ts';

const FILES = ['*.md', '*.ts', '*.tsx', '*.js', '*.html', '*.sh', '*.bicep', '*.yml', '*.yaml'];
const git = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...FILES, ':!tests/words'];
const files = execFileSync('git', git, { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '');

const found = files.flatMap((file) =>
  findWords(readFileSync(file, 'utf8'))
    .filter(({ text }) => !EXCEPTIONS.some((exception) => exception.file === file && exception.text === text))
    .map(({ line, column, text, instead }) => `${file}:${line}:${column} "${text}": ${instead}`),
);
for (const place of found) console.log(place);
if (found.length > 0) {
  console.error(`${found.length} places. Rules: CONTRIBUTING.md; exceptions: tests/words/exceptions.ts`);
  process.exitCode = 1;
}
