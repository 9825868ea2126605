import type { JSX } from 'preact';
import type { BatchReceipt, BatchView } from '../api/types.ts';
import { BarList } from '../charts/bar-list.tsx';
import {
  formatAmount,
  formatCount,
  formatDecimals,
  formatDuration,
  formatNumberOf,
  unverifiedText,
} from '../format.ts';
import { Panel, Stat } from '../ui/pieces.tsx';
import { Scrolling } from '../ui/scrolling.tsx';

/** The cost of a batch, compared with other designs. */
export function Receipt({ batch: { receipt, counts } }: { batch: BatchView }): JSX.Element {
  const { totalUsd, storageOperations, handlerSeconds, throttled, comparison, executions, soFar } = receipt;
  return (
    <>
      {soFar && <p class="soft">So far: the batch or one of its drains is not finished, so the cost will increase.</p>}
      <dl class="stats">
        <Stat name="Cost of this batch" value={formatAmount(totalUsd, receipt)} note={`prices of ${receipt.sheet}`} />
        <Stat
          name="Storage operations"
          value={formatCount(storageOperations)}
          note={`for ${formatNumberOf(counts.accepted, 'item')}`}
        />
        <Times times={comparison.messagePerItem.timesOurs} />
        <Stat
          name="Executions"
          value={formatDecimals(executions.count)}
          note={`computed: at most ${formatDecimals(executions.gbSeconds)} GB-seconds`}
        />
        <Stat name="Time in handlers" value={formatDuration(handlerSeconds * 1_000)} note="of worker threads" />
        <Stat name="Throttled responses" value={formatDecimals(throttled)} tone={throttled > 0 ? 'warn' : ''} />
      </dl>
      <div class="panels">
        <Panel title="Compared with other designs">
          <Comparison receipt={receipt} />
        </Panel>
        <Panel title="Cost by service">
          <ByService receipt={receipt} />
        </Panel>
      </div>
      <Panel title="Operations">
        <p class="soft">
          Counted: the operations of this batch, and its part, by chunks, of the operations of its drains. Computed: the
          operations of the Durable extension
          {receipt.backend === 'dts' ? ': none on storage, it bills actions' : ''}.
        </p>
        <Operations receipt={receipt} />
      </Panel>
    </>
  );
}

/** A batch of a few items needs more operations than it would as messages; then the receipt shows how many more. */
function Times({ times }: { times: number | null }): JSX.Element {
  const note = 'than one message per item';
  if (times === null || times === 0) return <Stat name="Fewer operations" value="–" note={note} />;
  if (times < 1)
    return <Stat name="More operations" value={`${formatDecimals(1 / times)} ×`} note={note} tone="warn" />;
  return <Stat name="Fewer operations" value={`${formatDecimals(times)} ×`} note={note} tone="good" />;
}

function Comparison({ receipt }: { receipt: BatchReceipt }): JSX.Element {
  const { storageOperations, totalUsd, comparison } = receipt;
  const { messagePerItem, pollingThreadPerDay } = comparison;
  const bar = (name: string, operations: number, usd: number, tone = 'off') => ({
    ...{ name, tone, value: operations, text: formatCount(operations), note: formatAmount(usd, receipt) },
  });
  return (
    <>
      <BarList
        logarithmic
        bars={[
          bar('This batch', storageOperations, totalUsd, 'accent'),
          bar('One message per item', messagePerItem.operations, messagePerItem.usd),
          bar('One poller for a day', pollingThreadPerDay.operations, pollingThreadPerDay.usd),
        ]}
      />
      <p class="soft">
        Storage operations, on a logarithmic scale. The poller checks an empty queue every second, without any work.
      </p>
    </>
  );
}

function ByService({ receipt }: { receipt: BatchReceipt }): JSX.Element {
  const { byService, unpriced, unverified } = receipt;
  const bars = Object.entries(byService)
    .sort(([, a], [, b]) => b - a)
    .map(([name, usd]) => ({ name, value: usd, text: formatAmount(usd, receipt) }));
  return (
    <>
      {bars.length === 0 ? <p class="soft">Nothing spent yet.</p> : <BarList bars={bars} />}
      {unpriced.length > 0 && <p class="soft">Without a price: {unpriced.join(', ')}.</p>}
      <p class="soft">{unverifiedText(unverified)}</p>
    </>
  );
}

const KINDS = [
  { field: 'operations', name: 'This batch' },
  { field: 'drainOperations', name: 'Drains (estimate)' },
  { field: 'hostOperations', name: 'Durable extension (estimate)' },
] as const;

/** One row per operation. The column of the batch is counted, the others are estimated. */
function Operations({ receipt }: { receipt: BatchReceipt }): JSX.Element {
  const names = [...new Set(KINDS.flatMap(({ field }) => Object.keys(receipt[field])))];
  const rows = names.map((name) => ({ name, numbers: KINDS.map(({ field }) => receipt[field][name] ?? 0) }));
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return (
    <Scrolling label="Operations">
      <table class="table small">
        <thead>
          <tr>
            <th>Operation</th>
            {KINDS.map(({ name }) => (
              <th key={name} class="number">
                {name}
              </th>
            ))}
            <th class="number">All</th>
          </tr>
        </thead>
        <tbody>
          {rows
            .sort((a, b) => sum(b.numbers) - sum(a.numbers))
            .map(({ name, numbers }) => (
              <tr key={name}>
                <td class="mono">{name}</td>
                {numbers.map((number, index) => (
                  <td key={KINDS[index]?.name} class={number === 0 ? 'number soft' : 'number'}>
                    {number === 0 ? '–' : formatDecimals(number)}
                  </td>
                ))}
                <td class="number">
                  <b>{formatDecimals(sum(numbers))}</b>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </Scrolling>
  );
}
