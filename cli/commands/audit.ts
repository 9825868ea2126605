import type { Command } from 'commander';
import { jsonOf } from '../../shared/client/index.ts';
import type { Audit, AuditEntry } from '../../shared/http/audit/routes.ts';
import { addDayOptions, type DayOptions, whole } from '../options.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Act, Action } from '../session.ts';
import { formatTime } from '../text/format.ts';
import type { Column } from '../text/listing.ts';

interface AuditOptions extends DayOptions {
  target?: string;
  limit: number;
}

const [MAX_SHOWN, MAX_PAGE] = [100_000, 1_000];

/** `sluice audit`. */
export function addAudit(program: Command, act: Act): void {
  const command = program
    .command('audit')
    .summary('list the actions of operators')
    .description(
      'Lists the actions of operators in the last seven days, newest first. A name marked (unverified) was sent by the client and not checked.',
    );
  addDayOptions(command, 'seven')
    .option('--target <name>', 'only actions on this queue, batch or file')
    .option('--limit <n>', 'maximum number of entries', whole(1, MAX_SHOWN), 50)
    .action(act(audit, ['table', 'json', 'csv']));
}

const audit: Action<[AuditOptions]> = async (session, { limit, ...filter }) => {
  let log: Audit = { from: '', to: '', entries: [] };
  const query = { ...filter, limit: Math.min(limit, MAX_PAGE) };
  for await (const answer of session.api.pages('GET audit', { query })) {
    const page = await jsonOf(answer);
    log = { ...page, entries: [...log.entries, ...page.entries].slice(0, limit) };
    if (log.entries.length === limit) break;
  }
  const none = `No actions from ${log.from} to ${log.to}.`;
  session.list(log, { entries: log.entries, columns: COLUMNS, none });
  return EXIT.done;
};

const COLUMNS: readonly Column<AuditEntry>[] = [
  { field: 'at', shown: ({ at }) => formatTime(at) },
  { field: 'action' },
  { field: 'target' },
  { field: 'by', shown: ({ by, verified }) => (by === '' || verified ? by : `${by} (unverified)`) },
  { field: 'status' },
  { field: 'detail' },
];
