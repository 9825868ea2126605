import type { ComponentChildren, JSX } from 'preact';
import { TROUBLES } from '../../shared/contract/text/overview-texts.ts';
import { formatCount } from '../format.ts';
import { Tag } from '../ui/pieces.tsx';

export interface TroubleProps {
  kind: keyof typeof TROUBLES;
  /** Total number; if it is 0, the section is absent. */
  count: number;
  tone: 'bad' | 'warn';
  /** More than the explanation of the kind. */
  note?: string;
  action?: ComponentChildren;
  children: ComponentChildren;
}

/** One kind of problem, with its action. */
export function Trouble({ kind, count, tone, note = '', action, children }: TroubleProps): JSX.Element | null {
  if (count === 0) return null;
  const { title, note: known } = TROUBLES[kind];
  return (
    <section class="panel trouble" aria-label={title}>
      <header>
        <div>
          <h2>
            {title} <Tag tone={tone}>{formatCount(count)}</Tag>
          </h2>
          <p class="soft">{known + note}</p>
        </div>
        {action}
      </header>
      <ul>{children}</ul>
    </section>
  );
}

export interface TroubleRowProps {
  name: ComponentChildren;
  facts: readonly ComponentChildren[];
  reason?: ComponentChildren;
  action?: ComponentChildren;
}

/** One subject with the problem. */
export const TroubleRow = ({ name, facts, reason, action }: TroubleRowProps): JSX.Element => (
  <li>
    <div>
      <strong>{name}</strong>
      <small class="trouble-facts">
        {facts.map((fact, index) => (
          <span key={index}>{fact}</span>
        ))}
      </small>
      {reason !== undefined && <p class="reason">{reason}</p>}
    </div>
    {action}
  </li>
);

/** States that a list shows only the first of many. */
export const NotShown = ({ shown, count }: { shown: number; count: number }): JSX.Element | null =>
  shown >= count ? null : (
    <li>
      <span class="soft">and {formatCount(count - shown)} more</span>
    </li>
  );
