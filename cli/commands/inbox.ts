import { Argument, type Command, Option } from 'commander';
import { jsonOf } from '../../shared/client/index.ts';
import type { InboxFileView, InboxList } from '../../shared/http/inbox/schemas.ts';
import { isConfirmed } from '../confirm.ts';
import { checkWorkload } from '../names/workload.ts';
import { whole } from '../options.ts';
import { UsageError } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Act, Action, Session } from '../session.ts';
import { formatCount, formatSize, formatTime } from '../text/format.ts';
import type { Column } from '../text/listing.ts';

interface InboxOptions {
  workload?: string;
  state?: string;
  limit: number;
  yes?: boolean;
}

const STATES = ['waiting', 'taking', 'rejected'] satisfies InboxFileView['state'][];
const INBOX_ACTIONS = ['retry', 'delete'] as const;
type InboxAction = (typeof INBOX_ACTIONS)[number];
const MAX_SHOWN = 100_000;
const MAX_PAGE = 200;

const HELP = `
waiting    the app takes it at its next poll of the inbox
taking     the app reads it; the notes are those of its latest checkpoint
rejected   the app refused it, for the reason shown; upload a corrected file, or fix the cause and retry the file

retry and delete require an operator's key.`;

/** `sluice inbox`, `sluice inbox retry NAME` and `sluice inbox delete NAME`. */
export function addInbox(program: Command, act: Act): void {
  program
    .command('inbox')
    .summary('list the files of the inbox, and retry or delete rejected ones')
    .description(
      'Lists the files of the inbox, rejected ones last, with the reason. retry moves a rejected file back into the inbox, and delete deletes it.',
    )
    .addArgument(
      new Argument('[action]', 'what to do with a rejected file; without it, files are listed').choices(INBOX_ACTIONS),
    )
    .argument('[name]', 'the rejected file, as shown in the list')
    .option('--workload <name>', 'only files of this workload')
    .addOption(new Option('--state <state>', 'only files in this state').choices(STATES))
    .option('--limit <n>', 'maximum number of files', whole(1, MAX_SHOWN), 50)
    .option('--yes', 'delete: do not ask for confirmation; required without a terminal')
    .addHelpText('after', HELP)
    .action(act(inbox, ['table', 'json', 'csv']));
}

const inbox: Action<[InboxAction | undefined, string | undefined, InboxOptions]> = async (
  session,
  action,
  name,
  options,
) => {
  if (action === undefined) return list(session, options);
  if (name === undefined) throw new UsageError(`inbox ${action}: expected the name of a rejected file`);
  if (session.settings.output === 'csv')
    throw new UsageError(`--output csv: expected table or json for inbox ${action}`);
  return action === 'retry' ? retry(session, name) : remove(session, name, options);
};

async function list(session: Session, { limit, workload, state }: InboxOptions): Promise<ExitCode> {
  const files: InboxFileView[] = [];
  const query = { workload, state, limit: Math.min(limit, MAX_PAGE) };
  for await (const answer of session.api.pages('GET inbox', { query })) {
    files.push(...(await jsonOf(answer)).files.slice(0, limit - files.length));
    if (files.length >= limit) break;
  }
  if (files.length === 0) await checkWorkload(session, workload);
  session.list({ files } satisfies InboxList, { entries: files, columns: COLUMNS, none: 'No files in the inbox.' });
  return EXIT.done;
}

async function retry(session: Session, name: string): Promise<ExitCode> {
  const answer = await session.api.json('POST inbox/retry', { body: { name } });
  session.answer(answer, () => [`${name} is waiting in the inbox again.`]);
  return EXIT.done;
}

async function remove(session: Session, name: string, { yes }: InboxOptions): Promise<ExitCode> {
  if (!yes && !(await isConfirmed(session, 'inbox delete', `Delete the rejected file ${name}? [y/N] `))) {
    session.inform('Nothing was deleted.');
    return EXIT.failed;
  }
  await session.api.call('DELETE inbox', { query: { name } });
  session.answer({ name, deleted: true }, () => [`Deleted ${name}`]);
  return EXIT.done;
}

const COLUMNS: readonly Column<InboxFileView>[] = [
  { field: 'name' },
  { field: 'workload' },
  { field: 'state' },
  { field: 'bytes', title: 'size', shown: ({ bytes }) => formatSize(bytes) },
  { field: 'since', shown: ({ since }) => formatTime(since) },
  { field: 'readItems', title: 'items read', shown: itemsOf },
  { field: 'reason', title: 'notes', value: ({ reason }) => reason?.detail, shown: ({ notes }) => notes.join('; ') },
];

function itemsOf({ readItems }: InboxFileView): string {
  return readItems === undefined ? '' : formatCount(readItems);
}
