/** Formats the report of a run as Markdown. */

export type Result = 'pass' | 'fail' | 'not run';

/** A check that ran, with its commands and finding. */
export interface Step {
  id: string;
  about: string;
  expects: string;
  commands: readonly string[];
  result: Result;
  evidence: string;
}

export interface Run {
  group: string;
  app: string;
  /** ISO 8601. */
  startedAt: string;
  /** Version of this checkout. */
  version: string;
  steps: readonly Step[];
}

const MARKS: Readonly<Record<Result, string>> = { pass: 'pass', fail: '**fail**', 'not run': 'not run' };

/** Returns a text such as `2 of 3 checks passed, 1 failed, 0 were not run`. */
export function summary(steps: readonly Pick<Step, 'result'>[]): string {
  const count = (result: Result): number => steps.filter((step) => step.result === result).length;
  return `${count('pass')} of ${steps.length} checks passed, ${count('fail')} failed, ${count('not run')} were not run`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Puts foreign text into a code block whose fence is longer than any in the text, so that the text cannot end the block. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** Formats a run as Markdown: a table of the results, then each check with its commands, expectation and evidence. */
export function reportText({ group, app, startedAt, version, steps }: Run): string {
  const rows = steps.map(({ id, about, result }) => `| [${id}](#${id}) | ${cell(about)} | ${MARKS[result]} |`);
  const sections = steps.map(({ id, about, expects, commands, result, evidence }) =>
    [
      `## ${id}`,
      `${about}. Result: ${MARKS[result]}.`,
      `Expected: ${expects}`,
      ...(commands.length === 0 ? [] : [`Commands:\n\n${fenced(commands.join('\n'))}`]),
      `Evidence:\n\n${fenced(evidence)}`,
    ].join('\n\n'),
  );
  return [
    '# Azure report',
    `Resource group ${group}, app ${app}, ${startedAt}, Sluice ${version}: ${summary(steps)}.`,
    ['| check | about | result |', '| --- | --- | --- |', ...rows].join('\n'),
    ...sections,
    '',
  ].join('\n\n');
}
