import type { ComponentChildren, JSX } from 'preact';
import { formatCount, formatNumberOf, plain } from '../format.ts';
import { Tag } from '../ui/pieces.tsx';
import { isOver, type Step } from './run-over.ts';

const TONES: Readonly<Record<Step['state'], string>> = {
  waiting: 'off',
  running: 'busy',
  done: 'good',
  failed: 'bad',
  skipped: 'off',
};

export interface StepsListProps<B> {
  batches: readonly B[];
  /** One per batch, in the same order; a missing one is waiting. */
  steps: readonly Step[];
  nameOf: (batch: B) => ComponentChildren;
}

/** The progress and result of each batch. */
export function StepsList<B extends { id: string }>({ batches, steps, nameOf }: StepsListProps<B>): JSX.Element {
  const done = steps.filter(isOver).length;
  const failed = steps.filter(({ state }) => state === 'failed').length;
  return (
    <>
      <p role="status">
        {formatCount(done)} of {formatNumberOf(batches.length, 'batch', 'batches')} done
        {failed > 0 && <b class="tone-bad"> · {formatCount(failed)} failed</b>}
      </p>
      <progress max={batches.length} value={done} aria-label="Batches done" />
      <ul class="steps">
        {batches.map((batch, n) => {
          const { state, result } = steps[n] ?? { state: 'waiting', result: '' };
          return (
            <li key={batch.id}>
              {nameOf(batch)}
              <span>
                {result !== '' && <span>{plain(result)}</span>} <Tag tone={TONES[state]}>{state}</Tag>
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
