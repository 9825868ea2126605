import type { Command } from 'commander';
import type { HistoryDay } from '../../shared/http/history/schemas.ts';
import { addDayOptions, type DayOptions } from '../options.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Act, Action } from '../session.ts';
import { formatRate, formatSeconds, formatUsd, type PricedBy } from '../text/format.ts';
import type { Column } from '../text/listing.ts';

interface HistoryOptions extends DayOptions {
  workload?: string;
}

/** `sluice history`. */
export function addHistory(program: Command, act: Act): void {
  const command = program
    .command('history')
    .summary('show totals per day: items, latency, dead letters, cost')
    .description(
      'Shows the totals of the finished batches per day and workload. A batch counts for the day of its creation.',
    );
  addDayOptions(command, '30')
    .option('--workload <name>', 'only batches of this workload')
    .action(act(history, ['table', 'json', 'csv']));
}

const history: Action<[HistoryOptions]> = async (session, options) => {
  const answer = await session.api.json('GET history', { query: { ...options } });
  const none = `No finished batches from ${answer.from} to ${answer.to}.`;
  session.list(answer, { entries: answer.days, columns: columnsOf(answer), none });
  return EXIT.done;
};

const secondsOf = (ms: number | null): string => (ms === null ? '' : formatSeconds(ms));

const columnsOf = (by: PricedBy): readonly Column<HistoryDay>[] => [
  { field: 'day', value: (each) => each.day },
  { field: 'workload' },
  { field: 'batches' },
  { field: 'items' },
  { field: 'dead' },
  { field: 'discarded' },
  { field: 'deadlinesMissed', title: 'missed deadline' },
  { field: 'latencyP95Ms', title: 'highest p95', shown: ({ latencyP95Ms }) => secondsOf(latencyP95Ms) },
  { field: 'deadlineMs', title: 'shortest deadline', shown: ({ deadlineMs }) => secondsOf(deadlineMs) },
  {
    field: 'itemsPerSecond',
    title: 'items/s',
    shown: ({ itemsPerSecond }) => (itemsPerSecond === null ? '' : formatRate(itemsPerSecond)),
  },
  { field: 'operations' },
  { field: 'usd', title: 'cost', shown: ({ usd }) => formatUsd(usd, by) },
];
