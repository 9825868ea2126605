/**
 * Comments refer to files and to sections of documents. A name that does not exist belongs to an earlier state of the
 * code.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../infra/bicep.ts';

const FOLDERS = [
  'bench',
  'cli',
  'demo',
  'local',
  'docs',
  'functions',
  'infra',
  'shared',
  'tests',
  'web',
  'workloads',
  'packages',
];
/** Names that a checkout does not have, and a reader of imports whose comments contain examples. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist)\/|^tests\/unit\/boundaries\/read-source\.ts$/;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
).filter((file) => !LEFT_OUT.test(file));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const headingsOf = (file: string): string[] => read(file).match(/(?<=^#+ ).*$/gm) ?? [];

/** A comment as one line, without the characters that begin its lines. */
interface Comment {
  file: string;
  text: string;
}
const comments: Comment[] = files
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) =>
    [...read(file).matchAll(/\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm)].map(([comment]) => ({
      file,
      text: comment.replaceAll(/\s*\n\s*(?:\*|\/\/)\s*/g, ' '),
    })),
  );

/** The matches of `pattern` in comments for which `isThere` is false. */
const missing = (pattern: RegExp, isThere: (match: RegExpMatchArray, file: string) => boolean): string[] =>
  comments.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].filter((match) => !isThere(match, file)).map(([name]) => `${file}: ${name}`),
  );

it('comments refer to source files that exist, by their path or the end of it', () => {
  const paths = files.map((file) => `/${file}`);
  const pattern = /(?<![\w./:*-])(?:\.{1,2}\/)*\w[\w-]*(?:\/[\w-]+)*(?:\.\w+)*\.tsx?\b/g;
  const isThere = ([name]: RegExpMatchArray, file: string): boolean =>
    existsSync(join(ROOT, dirname(file), name)) ||
    existsSync(join(ROOT, name)) ||
    paths.some((path) => path.endsWith(`/${name}`));
  expect(missing(pattern, isThere)).toEqual([]);
});

it('comments refer to documents and sections that exist', () => {
  const pattern = /\b(docs\/[\w/.-]+\.md)(?:[:,]? "([^"]+)")?/g;
  const isThere = ([, file = '', section]: RegExpMatchArray): boolean =>
    existsSync(join(ROOT, file)) && (section === undefined || headingsOf(file).includes(section));
  expect(missing(pattern, isThere)).toEqual([]);
});
