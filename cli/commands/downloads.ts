import { type Command, Option } from 'commander';
import { isFinished } from '../../shared/batches/batch-row.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { collect, whole } from '../options.ts';
import { openOutput } from '../output.ts';
import type { Act, Action, Session } from '../session.ts';
import { type ReportRow, reportTable } from '../text/batch-text.ts';
import { parseLines } from '../text/lines.ts';
import { toLine } from '../text/printable.ts';

/** Options of both downloads. */
interface DownloadOptions {
  format: string;
  out?: string;
}

const outOption = (): Option => new Option('--out <file>', 'into this file, which appears when it is whole');

/** `sluice results ID` and `sluice report ID`. */
export function addDownloads(program: Command, act: Act): void {
  program
    .command('results')
    .summary('the result of every item')
    .description('Prints the results of all finished chunks in the order of the items, page after page.')
    .argument('<id>', 'the batch')
    .addOption(new Option('--format <format>', 'form').choices(['ndjson', 'csv']).default('ndjson'))
    .addOption(new Option('--column <name>', 'CSV: this column; may be repeated').argParser(collect))
    .option('--manifest', 'JSON: where the results lie in storage, instead of the results')
    .addOption(outOption())
    .action(act(results));
  program
    .command('report')
    .summary('the aggregate of a batch')
    .description('Prints the report of a batch: a line a key.')
    .argument('<id>', 'the batch')
    .addOption(
      new Option('--format <format>', 'form; --json is json')
        .choices(['table', 'csv', 'ndjson', 'json'])
        .default('table'),
    )
    .addOption(new Option('--revision <n>', 'an earlier report; default the newest').argParser(whole(0, 1e9)))
    .addOption(outOption())
    .action(act(report));
}

const results: Action<[string, DownloadOptions & { column?: string[]; manifest?: boolean }]> = async (
  session,
  id,
  { format, column, manifest, out },
) => {
  if (column !== undefined && format !== 'csv') throw new UsageError('--column: expected --format csv as well');
  const form = manifest ? { manifest } : { format, column };
  const path = `batches/${encodeURIComponent(id)}/results`;
  await download(session, out, session.api.pages({ path, query: { ...form } }));
  return EXIT.done;
};

const report: Action<[string, DownloadOptions & { revision?: number }]> = async (session, id, options) => {
  const format = session.settings.json ? 'json' : options.format;
  const path = `batches/${encodeURIComponent(id)}/report`;
  const query = { revision: options.revision, format: format === 'table' ? 'ndjson' : format };
  const pages = session.api.pages({ path, query });
  await download(session, options.out, format === 'table' ? asTable(pages) : pages);
  return EXIT.done;
};

async function* asTable(pages: AsyncIterable<Response>): AsyncGenerator<Response> {
  for await (const page of pages) {
    const rows = parseLines<ReportRow>(await page.text());
    yield new Response(reportTable(rows).map(toLine).join(''), { headers: page.headers });
  }
}

async function download(session: Session, out: string | undefined, pages: AsyncIterable<Response>): Promise<void> {
  const output = await openOutput(session.io, out);
  let state: string | undefined;
  try {
    for await (const page of pages) {
      state = page.headers.get('sluice-batch-state') ?? undefined;
      await output.write(page);
    }
    await output.close();
  } catch (error: unknown) {
    await output.discard();
    throw error;
  }
  if (state !== undefined && !isFinished(state as Parameters<typeof isFinished>[0]))
    session.inform(`The batch is ${state}: this is what there is so far.`);
}
