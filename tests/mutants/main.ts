/**
 * `npm run mutants [-- TEXT...]`: removes one guard after the other from a copy of the repository, and runs the tests
 * that must notice. Each TEXT selects the mutants that contain it in their name or file. Exits with 1 if a mutant
 * survives, does not apply, or if a test fails without any mutant.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository } from '../helpers/copy-repository.ts';
import { MUTANTS } from './list.ts';
import { type Mutant, mutate } from './mutant.ts';

/** A run with a mutant that lasts longer hangs, which counts as noticed. */
const LONGEST_RUN_MS = 10 * 60_000;

interface Run {
  /** `not run`: a file could not be loaded, which is no test that noticed. */
  verdict: 'passed' | 'failed' | 'hung' | 'not run';
  /** The first failed test, or why none was run. */
  first: string;
  /** Why that test failed. */
  why?: string | undefined;
}

/** Runs test files, until the first test fails. */
function runTests(copy: string, files: readonly string[], timeout?: number): Run {
  const report = join(copy, '.mutant-report.json');
  rmSync(report, { force: true });
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const options = ['--bail=1', '--reporter=json', `--outputFile=${report}`];
  const projects = ['unit', 'integration', 'faults'].flatMap((name) => ['--project', name]);
  const { error, stderr } = spawnSync(process.execPath, [vitest, 'run', ...projects, ...options, ...files], {
    ...{ cwd: copy, timeout, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
    env: { ...process.env, CI: '' },
  });
  if (error !== undefined) return { verdict: isTimeout(error) ? 'hung' : 'not run', first: error.message };
  if (!existsSync(report)) return { verdict: 'not run', first: stderr };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const allFailed = tests.filter(({ status }) => status === 'failed');
  // After the first failure, tests of other files are interrupted: they fail, too, and have no duration.
  const failed = allFailed.find(({ duration }) => duration !== undefined) ?? allFailed[0];
  if (failed) return { verdict: 'failed', first: failed.fullName, why: failed.failureMessages.join('\n') };
  const broken = testResults.find(({ status }) => status !== 'passed');
  if (broken === undefined && tests.length > 0) return { verdict: 'passed', first: '' };
  return { verdict: 'not run', first: `${broken?.name}: ${broken?.message}` };
}

/** The part of the JSON report that is read. */
interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; duration?: number; failureMessages: string[] }[];
  }[];
}

const isTimeout = (error: Error): boolean => 'code' in error && error.code === 'ETIMEDOUT';

const VERDICTS = { passed: 'SURVIVED', failed: 'killed  ', hung: 'hung    ', 'not run': 'NOT RUN ' };

function tryMutant(copy: string, mutant: Mutant): boolean {
  const path = join(copy, mutant.file);
  const original = readFileSync(path, 'utf8');
  const beganMs = Date.now();
  try {
    writeFileSync(path, mutate(copy, mutant));
    const { verdict, first } = runTests(copy, mutant.tests, LONGEST_RUN_MS);
    const seconds = Math.round((Date.now() - beganMs) / 1_000);
    console.log(`${VERDICTS[verdict]} ${mutant.file}: ${mutant.name} (${seconds} s)`);
    if (first !== '') console.log(`         ${first}`);
    return verdict === 'failed' || verdict === 'hung';
  } catch (error) {
    console.log(`DOES NOT APPLY ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    writeFileSync(path, original);
  }
}

function main(words: readonly string[]): boolean {
  const chosen = MUTANTS.filter(
    ({ name, file }) => words.length === 0 || words.some((word) => `${file} ${name}`.includes(word)),
  );
  const copy = copyRepository();
  try {
    console.log(`${chosen.length} mutants in ${copy}`);
    const { verdict, first, why = '' } = runTests(copy, [...new Set(chosen.flatMap(({ tests }) => tests))]);
    if (verdict !== 'passed') {
      console.log(`The tests do not pass without a mutant: ${first}\n${why}`);
      return false;
    }
    const killed = chosen.filter((mutant) => tryMutant(copy, mutant)).length;
    console.log(`${killed} of ${chosen.length} killed`);
    return killed === chosen.length && killed > 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

process.exitCode = main(process.argv.slice(2)) ? 0 : 1;
