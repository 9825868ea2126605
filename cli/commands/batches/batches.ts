import { type Command, Option } from 'commander';
import { BATCH_STATES } from '../../../shared/batches/batch-row.ts';
import { jsonOf } from '../../../shared/client/index.ts';
import type { Labels } from '../../../shared/contract/text/labels.ts';
import type { BatchEntry, BatchList } from '../../../shared/http/batches/list-batches.ts';
import { checkWorkload } from '../../names/workload.ts';
import { day, whole } from '../../options.ts';
import { UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action, Session } from '../../session.ts';
import { formatNumber, formatTime } from '../../text/format.ts';
import type { Column } from '../../text/listing.ts';
import { labelOption, labelTexts } from '../../upload/label-flag.ts';
import { describeEnd, getBatch } from '../../watch/wait.ts';

interface BatchesOptions {
  day?: string;
  workload?: string;
  state?: string;
  label?: Labels;
  search?: string;
  limit: number;
}

const MAX_SHOWN = 100_000;
const MAX_PAGE = 200;

/** `sluice batches [ID]`. */
export function addBatches(program: Command, act: Act): void {
  program
    .command('batches')
    .summary('list batches, or show the current state of one')
    .description(
      'Lists the batches of the last seven days, newest first; with an ID, shows the current state of that batch.',
    )
    .argument('[id]', 'a batch')
    .option('--day <day>', 'only this day, in UTC', day)
    .option('--workload <name>', 'only batches of this workload')
    .addOption(new Option('--state <state>', 'only batches in this state').choices(BATCH_STATES))
    .addOption(labelOption('only batches with this label; if repeated, with all of them'))
    .option('--search <text>', 'only batches with this text in the id, the file name or the value of a label')
    .option('--limit <n>', 'maximum number of batches', whole(1, MAX_SHOWN), 50)
    .action(act(batches, ['table', 'json', 'csv']));
}

const batches: Action<[string | undefined, BatchesOptions]> = async (session, id, options) => {
  if (id !== undefined) {
    if (session.settings.output === 'csv')
      throw new UsageError('--output csv: expected table or json for a single batch');
    const batch = await getBatch(session, id);
    session.answer(batch, () => describeEnd(batch));
    return EXIT.done;
  }
  const list = await listBatches(session, options);
  // Checked only now, because a workload that was removed may still have batches.
  if (list.batches.length === 0) await checkWorkload(session, options.workload);
  const isFiltered = Object.keys(options).some((name) => name !== 'day' && name !== 'limit');
  const none = `No batches${isFiltered ? ' that match' : ''} from ${list.days.from} to ${list.days.to}.`;
  session.list(list, { entries: list.batches, columns: COLUMNS, none });
  if (isFiltered && list.batches.length < options.limit) session.inform(...describeScanned(list));
  return EXIT.done;
};

const describeScanned = ({ scanned }: BatchList): string[] =>
  scanned.until
    ? [`Searched ${formatNumber(scanned.batches, 'batch', 'batches')}, back to ${formatTime(scanned.until)} UTC.`]
    : [];

async function listBatches({ api }: Session, { limit, label = {}, ...filter }: BatchesOptions): Promise<BatchList> {
  const query = { ...filter, label: labelTexts(label), limit: Math.min(limit, MAX_PAGE) };
  const list: BatchList = { batches: [], days: { from: '', to: '' }, scanned: { batches: 0, until: null } };
  for await (const answer of api.pages('GET batches', { query })) {
    const { batches, days, scanned } = await jsonOf(answer);
    list.batches.push(...batches);
    list.days = { from: days.from, to: list.days.to || days.to };
    list.scanned = {
      batches: list.scanned.batches + scanned.batches,
      until: scanned.until ?? list.scanned.until,
    };
    if (list.batches.length >= limit) break;
  }
  return { ...list, batches: list.batches.slice(0, limit) };
}

const COLUMNS: readonly Column<BatchEntry>[] = [
  { field: 'id', title: 'batch' },
  { field: 'workload' },
  { field: 'lane' },
  { field: 'state', shown: ({ state, blocked }) => (blocked ? `${state}, blocked` : state) },
  { field: 'accepted', title: 'items' },
  { field: 'pending' },
  { field: 'dead' },
  { field: 'createdAt', title: 'created', shown: ({ createdAt }) => formatTime(createdAt) },
  { field: 'completedAt', title: 'finished', shown: ({ completedAt }) => formatTime(completedAt) },
];
