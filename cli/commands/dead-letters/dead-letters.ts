import type { Command } from 'commander';
import { jsonOf } from '../../../shared/client/index.ts';
import { downloadFormat, formatOption } from '../../output/download-format.ts';
import { writePages } from '../../output/output.ts';
import { UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action, Session } from '../../session.ts';
import {
  addGroups,
  describeGroups,
  describeLetter,
  type Groups,
  type Letter,
  type Letters,
} from '../../text/dead-letters-text.ts';
import { parseLines } from '../../text/lines.ts';
import { type Column, listCsv } from '../../text/listing.ts';
import { toLine } from '../../text/printable.ts';
import { addBatchesFilter, type BatchesFilter, listCauses } from './dead-letters-of-batches.ts';

const FORMATS = ['text', 'json', 'ndjson', 'csv'] as const;

interface DeadLettersOptions extends BatchesFilter {
  cause?: string;
  format?: (typeof FORMATS)[number];
  out?: string;
}

const HELP = `
A dead letter is an item that did not succeed: it is invalid, was rejected by the handler, or failed in all its attempts.
With an ID and no options, shows the dead letters of the batch grouped by cause, with one example per cause. --cause shows those of one cause. --json
prints the answer of the app. --format csv prints all dead letters for a spreadsheet, and --format ndjson one per line, so that
you can correct them and run them again.

Examples:
  sluice dead-letters <id> --format ndjson --out dead.ndjson
  sluice redrive <id> --corrected dead.ndjson --wait`;

/** `sluice dead-letters ID`. */
export function addDeadLetters(program: Command, act: Act): void {
  const command = program
    .command('dead-letters')
    .summary('show the items that did not succeed, by cause')
    .description(
      'Shows the dead letters of a batch; without an ID, the causes of the dead letters of all batches of the last seven days.',
    )
    .argument('[id]', 'the batch')
    .option('--cause <cause>', 'only those of this cause, as the groups show it')
    .addOption(formatOption(FORMATS, 'text'))
    .option('--out <file>', 'write to this file, which appears only when it is complete; - is standard output')
    .addHelpText('after', HELP);
  addBatchesFilter(command).action(act(deadLetters, ['table', 'json', 'csv']));
}

const deadLetters: Action<[string | undefined, DeadLettersOptions]> = async (session, id, options) => {
  const { cause, format: form, out, ...filter } = options;
  if (id === undefined) {
    if (form !== undefined || out !== undefined) throw new UsageError('--format and --out: expected the id of a batch');
    return listCauses(session, { ...filter, cause });
  }
  const [other] = Object.keys(filter);
  if (other !== undefined) throw new UsageError(`--${other}: cannot be combined with the id of a batch`);
  const format = downloadFormat(session, options, { formats: FORMATS, fallback: 'text' });
  const isWhole = format === 'ndjson' || format === 'csv';
  const pages = isWhole
    ? lettersIn(session, id, { cause: options.cause, format })
    : shown(session, id, { ...options, format });
  await writePages(session.io, options.out, pages);
  return EXIT.done;
};

/** Yields all dead letters, or those of a cause. */
async function* lettersIn(
  { api }: Session,
  id: string,
  { cause, format }: { cause: string | undefined; format: 'ndjson' | 'csv' },
): AsyncGenerator<Response> {
  let hasHeader = false;
  const query = { format: 'ndjson', cause } as const;
  for await (const page of api.pages('GET batches/{id}/dead-letters', { path: { id }, query })) {
    if (format === 'ndjson') yield page;
    else {
      const text = listCsv(COLUMNS, parseLines<Letter>(await page.text()));
      yield new Response(hasHeader ? text.slice(text.indexOf('\r\n') + 2) : text);
      hasHeader = true;
    }
  }
}

const COLUMNS: readonly Column<Letter>[] = [
  { field: 'index' },
  { field: 'line' },
  { field: 'reason' },
  { field: 'cause' },
  { field: 'error', value: ({ error }) => error.name },
  { field: 'message', value: ({ error }) => error.message },
  { field: 'item', value: ({ item }) => (item === undefined ? undefined : JSON.stringify(item)) },
];

/** Yields the groups, or the dead letters of a cause, as text or as the JSON of the app. */
async function* shown(session: Session, id: string, { cause, format }: DeadLettersOptions): AsyncGenerator<Response> {
  const textOf = (value: unknown, lines: readonly string[]): Response =>
    new Response(format === 'json' ? `${JSON.stringify(value)}\n` : lines.map(toLine).join(''));
  if (cause === undefined) {
    const groups = await groupsOf(session, id);
    yield textOf(groups, describeGroups(groups));
  } else {
    const letters = await lettersOf(session, id, cause);
    yield textOf(letters, letters.items.flatMap(describeLetter));
  }
}

async function groupsOf({ api }: Session, id: string): Promise<Groups> {
  let all: Groups | undefined;
  for await (const page of api.pages('GET batches/{id}/dead-letters', { path: { id } })) {
    const groups = (await jsonOf(page)) as Groups;
    all = all === undefined ? groups : addGroups(all, groups);
  }
  if (all === undefined) throw new Error('There was no page of dead letters.');
  return all;
}

async function lettersOf({ api }: Session, id: string, cause: string): Promise<Letters> {
  const all: Letters = { batch: '', cause, items: [] };
  const query = { cause, limit: 1_000 };
  for await (const page of api.pages('GET batches/{id}/dead-letters', { path: { id }, query })) {
    const { batch, items } = (await jsonOf(page)) as Letters;
    all.batch = batch;
    all.items.push(...items);
  }
  return all;
}
