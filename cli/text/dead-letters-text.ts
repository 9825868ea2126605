import type { z } from 'zod';
import type { deadLetterGroupsSchema, deadLetterListSchema } from '../../shared/http/dead-letters/schemas.ts';
import { formatCount, formatNumber } from './format.ts';

export type Groups = z.infer<typeof deadLetterGroupsSchema>;
export type Letters = z.infer<typeof deadLetterListSchema>;

/** Adds a further page to the groups of earlier ones. `count` is that of the whole batch, on every page. */
export function addGroups(all: Groups, page: Groups): Groups {
  const byCause = new Map(all.groups.map((group) => [group.cause, group]));
  for (const group of page.groups) {
    const known = byCause.get(group.cause);
    byCause.set(group.cause, known === undefined ? group : { ...known, count: known.count + group.count });
  }
  return {
    ...page,
    scanned: all.scanned + page.scanned,
    otherCauses: all.otherCauses + page.otherCauses,
    groups: [...byCause.values()].sort((a, b) => b.count - a.count),
  };
}

/** Describes the causes of the dead letters of a batch, each with its count and an example. */
export function describeGroups({ batch, count, groups, otherCauses }: Groups): string[] {
  if (count === 0) return ['No dead letters.'];
  return [
    `${formatNumber(count, 'dead letter')} of ${batch}`,
    ...groups.flatMap(({ cause, count: of, example }) => [
      '',
      `${formatCount(of)} x ${cause}`,
      ...describeLetter(example).map((line) => `  ${line}`),
    ]),
    ...(otherCauses > 0 ? ['', `${formatCount(otherCauses)} of other causes`] : []),
  ];
}

export type Letter = Letters['items'][number];

/** Describes a dead letter: its position, error and item. */
export const describeLetter = ({ index, line, reason, error, item }: Letter): string[] => [
  `${line === null ? '' : `line ${line}, `}index ${index}, ${reason}: ${describeError(error)}`,
  ...describeIssues(error),
  ...describeStack(error),
  ...(error.causes ?? []).flatMap((cause) => [
    `  caused by ${cause.name}: ${describeError(cause)}`,
    ...describeStack(cause).map((line) => `  ${line}`),
  ]),
  ...(item === undefined ? [] : [JSON.stringify(item)]),
];

type Cause = NonNullable<Letter['error']['causes']>[number];

const describeError = ({ message, code }: Cause): string => (code === undefined ? message : `${message} (${code})`);

const describeStack = ({ stack = [] }: Cause): string[] => stack.map((frame) => `  at ${frame}`);

/** Describes the issues. A single issue is omitted, because it is the message. */
function describeIssues({ issues = [], moreIssues = 0 }: Letter['error']): string[] {
  if (issues.length + moreIssues < 2) return [];
  const lines = issues.map(({ path, message }) => `  ${path === '' ? message : `${path}: ${message}`}`);
  return moreIssues === 0 ? lines : [...lines, `  and ${formatNumber(moreIssues, 'more issue')}`];
}
