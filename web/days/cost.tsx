import type { JSX } from 'preact';
import type { Cost, CostPeriod } from '../api/types.ts';
import { formatAmount, formatCompact, formatDecimals, formatNumberOf, formatTime, unverifiedText } from '../format.ts';
import { Panel, PartsBar, Stat } from '../ui/pieces.tsx';
import { type FormatAmount, IdleLines } from './idle-lines.tsx';

/** The cost of a day and its month, at list prices: counted work, computed executions, and idle resources. */
export function CostOfDay({ cost }: { cost: Cost }): JSX.Element {
  const amount: FormatAmount = (usd, unverified = cost.unverified) =>
    formatAmount(usd, { currency: cost.currency, unverified });
  return (
    <>
      <h2 class="section-title">Cost</h2>
      <div class="panels">
        <Period title={`Day ${cost.day.from}`} period={cost.day} amount={amount} />
        <Period title={`${cost.month.from} to ${cost.month.to}`} period={cost.month} amount={amount} />
      </div>
      <Panel title="While there is nothing to do">
        <IdleLines period={cost.month} amount={amount} />
      </Panel>
      <div class="panels">
        <Panel title="Not included">
          <ul class="plain-list">
            {cost.notIncluded.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <p class="soft">
            Prices: sheet {cost.sheet}, {cost.currency}. {unverifiedText(cost.unverified)}
          </p>
        </Panel>
        <Panel title="This instance">
          <ProcessOperations process={cost.process} />
        </Panel>
      </div>
    </>
  );
}

const PARTS = [
  { name: 'Work', field: 'work', tone: 'accent' },
  { name: 'Executions, Durable', field: 'wakeUps', tone: 'good' },
  { name: 'Idle', field: 'idle', tone: 'off' },
] as const;

function Period({ title, period, amount }: { title: string; period: CostPeriod; amount: FormatAmount }): JSX.Element {
  const parts = PARTS.map(({ name, field, tone }) => ({
    name,
    tone,
    value: period[field].usd,
    how: period[field].how,
  }));
  return (
    <Panel title={title}>
      <dl class="stats inside">
        <Stat name="Total" value={amount(period.totalUsd)} note={formatNumberOf(period.batches, 'batch', 'batches')} />
        <Stat
          name="A million items"
          value={period.usdPerMillionItems === null ? '–' : amount(period.usdPerMillionItems)}
          note={`${formatCompact(period.items)} ${period.items === 1 ? 'item' : 'items'}`}
        />
      </dl>
      <PartsBar parts={parts} label="Parts of the total" />
      <ul class="part-list">
        {parts.map(({ name, tone, value, how }) => (
          <li key={name}>
            <i class={`swatch fill-${tone}`} />
            <span>
              {name} <small>{how}</small>
            </span>
            <b>{amount(value)}</b>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ProcessOperations({ process: { instance, since, operations } }: { process: Cost['process'] }): JSX.Element {
  const sorted = Object.entries(operations).sort(([, a], [, b]) => b - a);
  return (
    <>
      <p class="soft">
        Counted by the instance that responded{instance === null ? '' : ` (${instance})`} since its start at{' '}
        {formatTime(since)}, for all purposes.
      </p>
      <ul class="part-list columns">
        {sorted.map(([name, count]) => (
          <li key={name}>
            <span class="mono">{name}</span>
            <b>{formatDecimals(count)}</b>
          </li>
        ))}
      </ul>
    </>
  );
}
