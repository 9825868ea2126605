import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { fetchReport } from '../../api/batches.ts';
import type { BatchView, ReportRow } from '../../api/types.ts';
import { plain } from '../../format.ts';
import { useLook } from '../../live/use-look.ts';
import { parameters, setParameters } from '../../routing.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { reportFailure } from '../finished.ts';
import { ReportChart } from './report-chart.tsx';
import { columnsOf, numericColumns, sortRows } from './report-rows.ts';
import { ReportTable } from './report-table.tsx';

/** The aggregate of a batch as a picture and a table. Why the newest one failed stands above, on every tab. */
export function Report({ batch }: { batch: BatchView }): JSX.Element {
  const { id, reportRevision } = batch;
  const failed = reportFailure(batch) !== undefined;
  return (
    <>
      {failed && reportRevision !== null && (
        <p class="tone-bad">This is the report of revision {reportRevision}; the one of the newest revision failed.</p>
      )}
      {reportRevision !== null && <Fetched id={id} revision={reportRevision} />}
      {reportRevision === null && (
        <Empty icon={failed ? 'warning' : 'batches'} title={failed ? 'No report' : 'No report yet'}>
          <p>{failed ? 'It failed: why stands above.' : 'It is made when nothing is pending any more.'}</p>
        </Empty>
      )}
    </>
  );
}

function Fetched({ id, revision }: { id: string; revision: number }): JSX.Element {
  const polled = useLook({ key: ['report', id, revision], load: () => fetchReport(id) });
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
        <p>No item succeeded, or the workload has nothing to add up.</p>
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
