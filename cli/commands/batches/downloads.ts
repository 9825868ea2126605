import { type Command, Option } from 'commander';
import { isFinished } from '../../../shared/batches/batch-row.ts';
import { collect, whole } from '../../options.ts';
import { downloadFormat, formatOption } from '../../output/download-format.ts';
import { writePages } from '../../output/output.ts';
import { UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action, Session } from '../../session.ts';
import { parseLines } from '../../text/lines.ts';
import { toLine } from '../../text/printable.ts';
import { type ReportRow, reportTable } from '../../text/report-text.ts';

const RESULT_FORMATS = ['ndjson', 'json', 'csv'] as const;
const REPORT_FORMATS = ['table', 'csv', 'ndjson', 'json'] as const;

interface DownloadOptions<F> {
  format?: F;
  out?: string;
}

const outOption = (): Option =>
  new Option('--out <file>', 'write to this file, which appears only when it is complete; - is standard output');

/** `sluice results ID` and `sluice report ID`. */
export function addDownloads(program: Command, act: Act): void {
  program
    .command('results')
    .summary('print the results of the items')
    .description('Prints the results of all finished chunks in the order of the items.')
    .argument('<id>', 'the batch')
    .addOption(formatOption(RESULT_FORMATS, 'ndjson'))
    .option('--column <name>', 'CSV: include this column; may be repeated', collect)
    .option('--manifest', 'print the storage locations of the results, as JSON, instead of the results')
    .addOption(outOption())
    .action(act(results, ['json', 'csv']));
  program
    .command('report')
    .summary('print the report of a batch')
    .description('Prints the report of a batch, one line per key.')
    .argument('<id>', 'the batch')
    .addOption(formatOption(REPORT_FORMATS, 'table'))
    .option('--revision <n>', 'the report of an earlier revision; defaults to the newest', whole(0, 1e9))
    .addOption(outOption())
    .action(act(report, ['table', 'json', 'csv']));
}

interface ResultOptions extends DownloadOptions<(typeof RESULT_FORMATS)[number]> {
  column?: string[];
  manifest?: boolean;
}

const results: Action<[string, ResultOptions]> = async (session, id, options) => {
  const { column, manifest, out } = options;
  const format = downloadFormat(session, options, { formats: RESULT_FORMATS, fallback: 'ndjson' });
  if (column !== undefined && format !== 'csv') throw new UsageError('--column: expected --format csv as well');
  if (manifest && format === 'csv') throw new UsageError('--manifest: expected --format json or ndjson, got csv');
  const form = manifest ? { manifest } : { format: format === 'csv' ? format : 'ndjson', column };
  const pages = session.api.pages('GET batches/{id}/results', { path: { id }, query: form });
  await download(session, out, format === 'json' && !manifest ? toJsonArray(pages) : pages);
  return EXIT.done;
};

const report: Action<[string, DownloadOptions<(typeof REPORT_FORMATS)[number]> & { revision?: number }]> = async (
  session,
  id,
  options,
) => {
  const format = downloadFormat(session, options, { formats: REPORT_FORMATS, fallback: 'table' });
  const query = { revision: options.revision, format: format === 'table' ? 'ndjson' : format };
  const pages = session.api.pages('GET batches/{id}/report', { path: { id }, query });
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
  let state: string | undefined;
  const seen = async function* (): AsyncGenerator<Response> {
    for await (const page of pages) {
      state = page.headers.get('sluice-batch-state') ?? state;
      yield page;
    }
  };
  await writePages(session.io, out, seen());
  if (state !== undefined && !isFinished(state as Parameters<typeof isFinished>[0]))
    session.inform(`The batch is ${state}: the output contains only what is finished so far.`);
}

/** Converts pages of NDJSON to one JSON array as a stream: no page is held in memory. The headers of the pages are kept. */
export async function* toJsonArray(pages: AsyncIterable<Response>): AsyncGenerator<Response> {
  let before = '[\n';
  for await (const { body, headers } of pages) {
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      const encoder = new TextEncoder();
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        for (const piece of text.split(/(\n)/)) {
          if (piece === '\n') before = before === '' ? ',\n' : before;
          else if (piece !== '') {
            yield encoder.encode(before + piece);
            before = '';
          }
        }
      }
      // The end of a page ends a line, even if its last line break is missing.
      if (before === '') before = ',\n';
    };
    yield new Response(ReadableStream.from(pieces()), { headers });
  }
  yield new Response(before === '[\n' ? '[]\n' : '\n]\n');
}
