import { z } from 'zod';
import { type BatchRow, isFinished, pendingItems } from '../../../batches/batch-row.ts';
import { CONTAINERS } from '../../../contract/names.ts';
import { Problem } from '../../../errors.ts';
import { openReport, type Report, type ReportHeader, reportHeaderSchema } from '../../../results/read-report.ts';
import { Turns } from '../../../turns.ts';
import type { Stored } from '../../edge/app.ts';
import { Columns, csvLine, isRecord, OTHER_FIELDS, valuesBy } from '../../edge/csv.ts';
import { answerFormat, type Format, MEDIA_TYPES } from '../../edge/formats.ts';
import { batchOf, wholeOf } from '../../edge/request/parameters.ts';
import { type Handle, query } from '../../edge/route.ts';
import { COMPONENTS } from '../../edge/schemas.ts';

export const reportLineSchema = z.object({ key: z.string(), value: z.unknown() });

export const reportSchema = reportHeaderSchema
  .extend({ items: z.array(reportLineSchema) })
  .register(COMPONENTS, { id: 'Report' });

export const REVISION = query('revision', 'The revision of an earlier report. Defaults to the newest', {
  type: 'integer',
  minimum: 0,
});

/** GET batches/{id}/report: the newest report, or that of `?revision=`, as NDJSON, CSV or JSON, with its counts as headers. */
export const getReport: Handle<Stored> = async (deps, request) => {
  const { row: batch } = await batchOf(request, deps.table);
  const format = answerFormat(request, ['ndjson', 'csv', 'json']);
  const revision = request.query.has('revision') ? wholeOf(request, REVISION) : batch.reportRevision;
  const known = revision >= 0 && revision <= batch.reportRevision;
  const report = known ? await openReport(deps.container(CONTAINERS.reports), batch.id, revision) : undefined;
  if (!report) throw new Problem('not-found', missing(batch, revision));
  const headers = { ...headersOf(report.header), 'content-type': MEDIA_TYPES[format] };
  return { headers, stream: PIECES[format](report) };
};

function missing(batch: BatchRow, revision: number): string {
  const { id, state, accepted, reportRevision, reportProblem } = batch;
  if (isFinished(state) && reportProblem !== undefined && revision === batch.revision)
    return `Batch ${id} is ${state}, and has no report of revision ${revision}: ${reportProblem}.`;
  if (reportRevision >= 0) return `Batch ${id} has no report of revision ${revision}; the newest is ${reportRevision}.`;
  if (isFinished(state)) return `Batch ${id} is ${state}, and has no report: ${reportProblem ?? 'none was created'}.`;
  return `Batch ${id} has no report yet: it is ${state}, and ${pendingItems(batch)} of its ${accepted} items are pending.`;
}

const headersOf = ({ batch, revision, rows, counts, createdAt }: ReportHeader): Record<string, string> => ({
  etag: `"${batch}-${revision}"`,
  'sluice-report-revision': String(revision),
  'sluice-report-rows': String(rows),
  'sluice-report-created-at': createdAt,
  ...Object.fromEntries(Object.entries(counts).map(([name, n]) => [`sluice-report-${name}`, String(n)])),
});

async function* ndjson({ lines }: Report): AsyncGenerator<string> {
  for await (const some of lines()) yield some.map((line) => `${line}\n`).join('');
}

/** Writes the format of reportSchema. */
async function* json({ header, lines }: Report): AsyncGenerator<string> {
  yield `${JSON.stringify(header).slice(0, -1)},"items":[`;
  let separator = '';
  for await (const some of lines()) {
    yield `${separator}${some.join(',')}`;
    separator = ',';
  }
  yield ']}';
}

/**
 * An object value is written to one column per field. The report is read twice, first for the columns: no field is missing from
 * the header, unless there are more than MAX_COLUMNS.
 */
async function* csv(report: Report): AsyncGenerator<string> {
  const columns = new Columns();
  let hasScalar = false;
  for await (const { value } of rowsOf(report)) {
    columns.add(value);
    hasScalar ||= !isRecord(value);
  }
  const fields = columns.isCut ? [...columns.names, OTHER_FIELDS] : [...columns.names];
  const valuesOf = valuesBy(fields);
  const scalar = fields.length === 0 || hasScalar;
  yield csvLine(['key', ...fields, ...(scalar ? ['value'] : [])]);
  for await (const { key, value } of rowsOf(report)) {
    const last = scalar ? [isRecord(value) ? undefined : value] : [];
    yield csvLine([key, ...valuesOf(isRecord(value) ? value : {}), ...last]);
  }
}

async function* rowsOf({ lines }: Report): AsyncGenerator<{ key: string; value: unknown }> {
  const turns = new Turns();
  for await (const some of lines())
    for (const line of some) {
      yield JSON.parse(line);
      await turns.next();
    }
}

const PIECES: Readonly<Record<Format, (report: Report) => AsyncGenerator<string>>> = { ndjson, csv, json };
