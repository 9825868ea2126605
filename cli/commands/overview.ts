import type { Command } from 'commander';
import { TROUBLES } from '../../shared/contract/text/overview-texts.ts';
import type { BatchNotice, BatchNotices, Overview } from '../../shared/http/overview/schemas.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Act, Action } from '../session.ts';
import { formatCount, formatNumber, formatTable, formatTime } from '../text/format.ts';

/** `sluice overview`. */
export function addOverview(program: Command, act: Act): void {
  program
    .command('overview')
    .summary('show what requires the attention of an operator')
    .description(
      'Shows late batches and batches at risk, paused queues, the dead letters of the last 24 hours, and other faults.',
    )
    .option('--fresh', 'measure everything now instead of using the cached values of the app')
    .action(act(overview));
}

const overview: Action<[{ fresh?: boolean }]> = async (session, { fresh }) => {
  const answer = await session.api.json('GET overview', { query: { fresh } });
  session.answer(answer, () => describeOverview(answer));
  return EXIT.done;
};

function describeOverview(answer: Overview): string[] {
  const sections = sectionsOf(answer).filter(({ count }) => count > 0);
  const shown = sections.flatMap(({ kind, count, rows }) => [
    `${TROUBLES[kind].title}: ${formatCount(count)}`,
    ...formatTable(rows),
  ]);
  return [totalsText(answer.queues), ...(shown.length === 0 ? ['Nothing requires attention.'] : shown)];
}

function totalsText({ count, messages, batches, items, draining, paused }: Overview['queues']): string {
  const queues = `${formatNumber(count, 'queue')}, ${draining} draining, ${paused} paused: ${formatNumber(messages, 'message')}`;
  const open = batches === 1 ? '1 open batch' : `${formatCount(batches)} open batches`;
  return `${queues}; ${open} with ${formatNumber(items, 'pending item')}`;
}

type Kind = keyof typeof TROUBLES;

const section = (kind: Kind, rows: string[][], count = rows.length) => ({ kind, count, rows });

const sectionsOf = (answer: Overview) => [
  batchSection('late', answer.late),
  batchSection('atRisk', answer.atRisk),
  section('pausedQueues', answer.pausedQueues.map(pausedQueueRow)),
  batchSection('pausedBatches', answer.pausedBatches),
  batchSection('failedReports', answer.failedReports),
  batchSection('suspect', answer.suspect),
  section(
    'deadLetters',
    answer.deadLetters.causes.map(({ cause, workload, count, newest }) => [
      formatCount(count),
      workload,
      cause,
      newest,
    ]),
    answer.deadLetters.count,
  ),
  section(
    'missedWakes',
    answer.missedWakes.map(({ queue, count, at }) => [queue, formatCount(count), `latest ${formatTime(at)}`]),
  ),
  section(
    'poison',
    answer.poison.map(({ queue, messages }) => [queue, formatNumber(messages, 'message')]),
  ),
  section(
    'stuck',
    answer.stuck.map(({ queue, since, reason }) => [queue, `since ${formatTime(since)}`, reason]),
  ),
  section(
    'inboxRejects',
    answer.inboxRejects.files.map(({ name, since, title }) => [name, formatTime(since), title]),
    answer.inboxRejects.count,
  ),
];

const batchSection = (kind: Kind, { count, batches }: BatchNotices) => section(kind, batches.map(batchRow), count);

const batchRow = ({ id, workload, lane, file = '', since, items, text = '' }: BatchNotice): string[] => [
  ...[id, `${workload}/${lane}`, `since ${formatTime(since)}`, formatNumber(items, 'item'), file, text],
];

const pausedQueueRow = ({ queue, messages, items, text }: Overview['pausedQueues'][number]): string[] => [
  ...[queue, formatNumber(messages, 'message'), formatNumber(items, 'item'), text],
];
