import type { Command } from 'commander';
import type { AnswerOf } from '../../shared/client/index.ts';
import type { Cost, CostPeriod } from '../../shared/http/cost/schemas.ts';
import { day } from '../options.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Act, Action } from '../session.ts';
import { formatCount, formatNumber, formatTable, formatUsd, type PricedBy, unverifiedNote } from '../text/format.ts';

/** `sluice cost`, `sluice sweep` and `sluice health`. */
export function addUpkeep(program: Command, act: Act): void {
  program
    .command('cost')
    .summary('show the cost of a day and its month')
    .description(
      'Shows the cost of a day and of its month: work, executions, idle. npm run cost estimates the cost in advance.',
    )
    .option('--day <day>', 'a day in UTC; defaults to today', day)
    .action(act(cost));
  program
    .command('sweep')
    .summary('run the sweep now, which repairs what a crash left')
    .description('Runs the sweep now instead of at its next timer, and shows what it repaired.')
    .action(act(sweep));
  program
    .command('health')
    .summary('check whether the app answers')
    .description('Checks whether the app answers. The exit code is 1 if it reports a problem. Needs no key.')
    .option('--deep', 'also check storage; the app caches the result for 30 s')
    .action(act(health));
}

const cost: Action<[{ day?: string }]> = async (session, query) => {
  const answer = await session.api.json('GET cost', { query: { ...query } });
  session.answer(answer, () => describeCost(answer));
  return EXIT.done;
};

const describeCost = ({ sheet, currency, unverified, day: today, month, notIncluded }: Cost): string[] => {
  const by = { currency, unverified };
  return [
    `${currency} by the price sheet ${sheet}`,
    ...formatTable([
      ['', today.from, `${month.from} to ${month.to}`],
      ...COST_ROWS.map(([name, cell]) => [name, cell(today, by), cell(month, by)]),
    ]),
    ...unverifiedNote(unverified),
    ...notIncluded.map((each) => `Not included: ${each}`),
  ];
};

const COST_ROWS: readonly [name: string, cell: (period: CostPeriod, by: PricedBy) => string][] = [
  ['batches', ({ batches }) => formatCount(batches)],
  ['items', ({ items }) => formatCount(items)],
  ['work (counted)', ({ work }, by) => formatUsd(work.usd, by)],
  ['executions, Durable (computed)', ({ wakeUps }, by) => formatUsd(wakeUps.usd, by)],
  ['idle (computed)', ({ idle }, by) => formatUsd(idle.usd, by)],
  ['total', ({ totalUsd }, by) => formatUsd(totalUsd, by)],
  [
    'per million items',
    ({ usdPerMillionItems }, by) => (usdPerMillionItems === null ? '' : formatUsd(usdPerMillionItems, by)),
  ],
];

type Sweep = AnswerOf<'POST sweep'>;

const sweep: Action<[]> = async (session) => {
  const answer = await session.api.json('POST sweep');
  session.answer(answer, () => describeSweep(answer));
  return answer.failed + answer.startFailed > 0 ? EXIT.failed : EXIT.done;
};

const describeSweep = ({ open, done }: Sweep): string[] => [
  `${formatNumber(open, 'open batch', 'open batches')} checked${done.length === 0 ? '; nothing to repair' : ''}`,
  ...done.map((text) => `  ${text}`),
];

const UNAVAILABLE = 503;

const health: Action<[{ deep?: boolean }]> = async (session, { deep }) => {
  const answer = await session.api.json('GET health', { query: { deep }, alsoExpected: [UNAVAILABLE] });
  const checks = Object.entries(answer.checks ?? {}).map(([name, state]) => `${name} ${state}`);
  session.answer(answer, () => [
    `${session.settings.url} is ${answer.status}: pool ${answer.pool ?? 'all'}, workloads ${answer.workloads.join(', ')}`,
    ...(checks.length === 0 ? [] : [checks.join(', ')]),
    ...(answer.problems ?? []).map(({ resource, problem }) => `${resource}: ${problem}`),
  ]);
  return answer.status === 'ok' ? EXIT.done : EXIT.failed;
};
