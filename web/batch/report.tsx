import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { fetchReport } from '../api/batches.ts';
import type { BatchView, ReportRow } from '../api/types.ts';
import { usePoll } from '../live/use-poll.ts';
import { Empty, Loaded } from '../ui/states.tsx';
import { FailedReport } from './failed-report.tsx';
import { isFinished } from './finished.ts';
import { ReportChart } from './report-chart.tsx';
import { columnsOf, numericColumns, sortRows } from './report-rows.ts';
import { ReportTable } from './report-table.tsx';

export interface ReportProps {
  batch: BatchView;
  onChange: () => void;
}

/** The aggregate of a batch as a picture and a table; where it failed, why, and the way to make it again. */
export function Report({ batch, onChange }: ReportProps): JSX.Element {
  const { id, reportRevision, reportProblem } = batch;
  const failed = reportProblem !== undefined && isFinished(batch);
  return (
    <>
      {failed && <FailedReport id={id} problem={reportProblem} onChange={onChange} />}
      {reportRevision !== null && <Fetched id={id} revision={reportRevision} />}
      {reportRevision === null && !failed && (
        <Empty icon="batches" title="No report yet">
          <p>It is made when nothing is pending any more.</p>
        </Empty>
      )}
    </>
  );
}

function Fetched({ id, revision }: { id: string; revision: number }): JSX.Element {
  const polled = usePoll({ subject: `${id} ${revision}`, load: () => fetchReport(id) });
  return <Loaded polled={polled}>{(rows) => <Rows rows={rows} />}</Loaded>;
}

function Rows({ rows }: { rows: readonly ReportRow[] }): JSX.Element {
  const [filter, setFilter] = useState('');
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const numeric = useMemo(() => numericColumns(rows, columns), [rows, columns]);
  const [chosen, setChosen] = useState<string>();
  const column = chosen ?? numeric[0] ?? 'key';
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
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        {numeric.length > 0 && (
          <label>
            <span class="unseen">By</span>
            <select value={column} onInput={(event) => setChosen(event.currentTarget.value)}>
              {numeric.map((name) => (
                <option key={name} value={name}>
                  largest {name}
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
