import type { JSX } from 'preact';
import type { BatchView } from '../../api/types.ts';
import { formatCount, formatNumberOf, formatPercent } from '../../format.ts';
import { Icon } from '../../ui/icon.tsx';
import { PartsBar } from '../../ui/pieces.tsx';

type Counts = BatchView['counts'];

const PARTS = [
  { name: 'succeeded', tone: 'good' },
  { name: 'dead', tone: 'warn' },
  { name: 'discarded', tone: 'striped' },
  { name: 'cancelled', tone: 'off' },
  { name: 'pending', tone: 'track' },
] as const satisfies { name: keyof Counts; tone: string }[];

/** The items by outcome, as proof that none is lost: accepted = succeeded + dead + discarded + cancelled + pending. */
export function Conservation({ counts, chunks }: { counts: Counts; chunks: BatchView['chunks'] }): JSX.Element {
  const parts = PARTS.map(({ name, tone }) => ({ name, tone, value: counts[name] }));
  const sum = parts.reduce((total, { value }) => total + value, 0);
  return (
    <div class="conservation">
      <PartsBar parts={parts} label="What became of the items" />
      <dl class="law">
        {parts.map(({ name, value, tone }, index) => (
          <div key={name}>
            <dt>
              <i class={`swatch fill-${tone}`} /> {name}
            </dt>
            <dd>
              {index > 0 && <span class="operator">+</span>}
              {formatCount(value)}
            </dd>
          </div>
        ))}
        <div class="sum">
          <dt>accepted</dt>
          <dd>
            <span class="operator">=</span>
            {formatCount(counts.accepted)}
          </dd>
        </div>
      </dl>
      <Verdict sum={sum} counts={counts} />
      <p class="soft">
        {formatCount(chunks.done)} of {formatNumberOf(chunks.total, 'chunk')} done
        {counts.retried > 0 && ` · ${formatNumberOf(counts.retried, 'retry', 'retries')}`}
        {counts.duplicatesSeen > 0 &&
          ` · ${formatNumberOf(counts.duplicatesSeen, 'duplicate delivery', 'duplicate deliveries')}, counted once`}
      </p>
    </div>
  );
}

function Verdict({ sum, counts: { accepted, succeeded } }: { sum: number; counts: Counts }): JSX.Element {
  if (sum !== accepted) {
    return (
      <p class="verdict tone-bad">
        <Icon name="warning" size={16} /> The parts add up to {formatCount(sum)}: items are missing or counted twice.
      </p>
    );
  }
  return (
    <p class="verdict tone-good">
      <Icon name="check" size={16} /> Every item is accounted for;{' '}
      {formatPercent(accepted === 0 ? 1 : succeeded / accepted)} succeeded.
    </p>
  );
}
