import { type Command, Option } from 'commander';
import type { z } from 'zod';
import type { Cost, CostPeriod } from '../../shared/http/cost/schemas.ts';
import type { Health } from '../../shared/http/health/schemas.ts';
import type { sweepAnswerSchema } from '../../shared/http/sweep/schemas.ts';
import { day } from '../options.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Act, Action } from '../session.ts';
import { formatCount, formatTable, formatUsd, type PricedBy, unverifiedNote } from '../text/format.ts';

/** `sluice cost`, `sluice sweep` and `sluice health`. */
export function addUpkeep(program: Command, act: Act): void {
  program
    .command('cost')
    .summary('what a day and its month have cost')
    .description(
      'Shows what a day and its month have cost: work, executions, idling. npm run cost has the model beforehand.',
    )
    .addOption(new Option('--day <day>', 'a day in UTC; default today').argParser(day))
    .action(act(cost));
  program
    .command('sweep')
    .summary('repair now whatever was lost')
    .description('Does now what the sweep does by its timer. All zeros means that nothing was wrong.')
    .action(act(sweep));
  program
    .command('health')
    .summary('whether the app answers')
    .description('Checks whether the app answers; ends with 1 when its storage does not. Needs no key.')
    .option('--deep', 'ask storage too; answers are kept for 30 s')
    .action(act(health));
}

const cost: Action<[{ day?: string }]> = async (session, query) => {
  const answer = await session.api.json<Cost>({ path: 'cost', audience: 'operator', query: { ...query } });
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
    'a million items',
    ({ usdPerMillionItems }, by) => (usdPerMillionItems === null ? '' : formatUsd(usdPerMillionItems, by)),
  ],
];

type Sweep = z.infer<typeof sweepAnswerSchema>;

const sweep: Action<[]> = async (session) => {
  const answer = await session.api.json<Sweep>({ path: 'sweep', method: 'POST', audience: 'operator' });
  session.answer(answer, () => describeSweep(answer));
  return answer.failed + answer.startFailed > 0 ? EXIT.failed : EXIT.done;
};

function describeSweep({ open, ...counts }: Sweep): string[] {
  const done = Object.entries(counts).filter(([, count]) => count > 0);
  return [
    `${formatCount(open)} open batches looked at${done.length === 0 ? '; nothing was wrong' : ''}`,
    ...formatTable(done.map(([name, count]) => [name, formatCount(count)])),
  ];
}

const UNAVAILABLE = 503;

const health: Action<[{ deep?: boolean }]> = async (session, { deep }) => {
  const call = { path: 'health', audience: 'anyone', query: { deep }, alsoExpected: [UNAVAILABLE] } as const;
  const answer = await session.api.json<Health>(call);
  const checks = Object.entries(answer.checks ?? {}).map(([name, state]) => `${name} ${state}`);
  session.answer(answer, () => [
    `${session.settings.url} is ${answer.status}: pool ${answer.pool ?? 'all'}, workloads ${answer.workloads.join(', ')}`,
    ...(checks.length === 0 ? [] : [checks.join(', ')]),
    ...(answer.problems ?? []).map(({ resource, problem }) => `${resource}: ${problem}`),
  ]);
  return answer.status === 'ok' ? EXIT.done : EXIT.failed;
};
