import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { parseExact } from '../../../shared/contract/text/exact-json.ts';
import { api } from '../../api/client.ts';
import type { BatchView } from '../../api/types.ts';
import { plain } from '../../format.ts';
import { usePolled } from '../../live/use-polled.ts';
import { parameters, setParameters } from '../../routing.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { reportFailure } from '../finished.ts';
import { ReportChart } from './report-chart.tsx';
import { columnsOf, numericColumns, type ReportRow, sortRows } from './report-rows.ts';
import { ReportTable } from './report-table.tsx';

/** The report of a batch as a chart and a table. The reason why the newest one failed is shown above, on every tab. */
export function Report({ batch }: { batch: BatchView }): JSX.Element {
  const { id, reportRevision } = batch;
  const failed = reportFailure(batch) !== undefined;
  return (
    <>
      {failed && reportRevision !== null && (
        <p class="tone-bad">
          This is the report of revision {reportRevision}; the report of the newest revision failed.
        </p>
      )}
      {reportRevision !== null && <Fetched id={id} revision={reportRevision} />}
      {reportRevision === null && (
        <Empty icon={failed ? 'warning' : 'batches'} title={failed ? 'No report' : 'No report yet'}>
          <p>{failed ? 'It failed: see the reason above.' : 'It is built when no item is pending any more.'}</p>
        </Empty>
      )}
    </>
  );
}

/** One row per key. Its numbers keep all their digits. */
async function fetchReport(id: string): Promise<ReportRow[]> {
  const answer = await api.call('GET batches/{id}/report', { path: { id }, query: { format: 'ndjson' } });
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => parseExact(line) as ReportRow);
}

function Fetched({ id, revision }: { id: string; revision: number }): JSX.Element {
  const polled = usePolled({ key: ['report', id, revision], load: () => fetchReport(id) });
  return <Loaded polled={polled}>{(rows) => <Rows rows={rows} />}</Loaded>;
}

function Rows({ rows }: { rows: readonly ReportRow[] }): JSX.Element {
  const filter = parameters.value.get('find') ?? '';
  const chosen = parameters.value.get('by');
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const numeric = useMemo(() => numericColumns(rows, columns), [rows, columns]);
  const column = numeric.find((name) => name === chosen) ?? numeric[0] ?? 'key';
  const found = useMemo(() => {
    const wanted = filter.toLowerCase();
    return sortRows(
      rows.filter(({ key }) => key.toLowerCase().includes(wanted)),
      column,
    );
  }, [rows, filter, column]);
  if (rows.length === 0)
    return (
      <Empty icon="batches" title="The report is empty">
        <p>No item succeeded, or the workload adds nothing to the report.</p>
      </Empty>
    );
  return (
    <>
      <div class="filters">
        <label>
          <span class="unseen">Keys</span>
          <input
            type="search"
            placeholder="Filter keys"
            value={filter}
            onInput={(event) => setParameters({ find: event.currentTarget.value })}
          />
        </label>
        {numeric.length > 0 && (
          <label>
            <span class="unseen">By</span>
            <select
              value={column}
              onInput={(event) => setParameters({ by: event.currentTarget.value }, { push: true })}
            >
              {numeric.map((name) => (
                <option key={name} value={name}>
                  largest {plain(name)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {numeric.length > 0 && found.length > 0 && <ReportChart rows={found} column={column} />}
      <ReportTable rows={found} columns={columns} numeric={numeric} total={rows.length} />
    </>
  );
}
