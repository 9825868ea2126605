import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../infra/bicep.ts';
import { tableBelow } from './docs-table.ts';

const TEXT = /\.(ts|tsx|css|md|json)$/;

/** The texts below a folder, or of one file. */
function textsIn(path: string): { file: string; text: string }[] {
  const names = statSync(join(ROOT, path)).isFile()
    ? [path]
    : readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
  return names
    .filter((name) => TEXT.test(name))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

const glossary = tableBelow('docs/architecture.md', 'Glossary').map(([term = '', , , where = '']) => ({ term, where }));

describe('the glossary', () => {
  it('has at most 25 terms, without duplicates', () => {
    expect(glossary.length).toBeGreaterThan(0);
    expect(glossary.length).toBeLessThanOrEqual(25);
    expect(new Set(glossary.map(({ term }) => term)).size).toBe(glossary.length);
  });

  it.each(glossary)('finds "$term" with this spelling in $where', ({ term, where }) => {
    expect(where).not.toBe('');
    expect(existsSync(join(ROOT, where))).toBe(true);
    const spelled = new RegExp(`(?<![a-z])${term.replace(' ', '[ -]?')}`, 'i');
    expect(textsIn(where).some(({ text }) => spelled.test(text))).toBe(true);
  });
});

/**
 * Names that had several meanings or none to a newcomer, and their replacements (docs/architecture.md has the terms).
 */
const RETIRED: Record<string, string> = {
  closeBatch: 'deleteOpenRow',
  settle: 'finish-wave',
  settling: 'finish-wave',
  settled: 'finished',
  settleQueue: 'finishWave',
  isSettled: 'isFinished',
  untilSettled: 'untilFinished',
  settledUnrun: 'passedOn',
  tally: 'WorkCounts or OutcomeBuilder',
  lessons: 'Verdict',
  learnt: 'measured',
  fate: 'disposition',
  fates: 'dispositions',
  ghost: 'orphaned',
  ghosts: 'orphanedReferences',
  board: 'statusBuffer',
  boardNote: 'ThreadStatus',
  preset: 'Verdict',
  presets: 'Verdict',
  knownFailures: 'Remains',
  rescue: 'salvage',
  strays: 'unhandled errors',
  strayMs: 'orphanMs',
  guilty: 'killed',
  isLone: 'isOnlyTask',
  brokenOff: 'interrupted',
  shareDone: 'quotaReached',
  failureShare: 'failureRate',
  failureBase: 'baselineFailureRate',
  partitionOf: 'queueOf',
  beat: 'heartbeat',
  beatUntil: 'aliveUntil',
  takenAt: 'acquiredAt',
  noteDue: 'recordDue',
  giveBack: 'returnToQueue',
  tellResults: 'publishResults',
};

it('finds no retired name', () => {
  const retired = new RegExp(`(?<![\\w$])(${Object.keys(RETIRED).join('|')})(?![\\w$])`, 'gi');
  const left = ['shared', 'functions', 'cli', 'web', 'workloads', 'infra', 'docs']
    .flatMap(textsIn)
    .flatMap(({ file, text }) => (text.match(retired) ?? []).map((word) => `${file}: ${word}`));
  expect(left).toEqual([]);
});
