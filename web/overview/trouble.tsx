import type { ComponentChildren, JSX } from 'preact';
import { formatCount } from '../format.ts';
import { Tag } from '../ui/pieces.tsx';

export interface TroubleProps {
  title: string;
  /** How many there are; none: the section is absent. */
  count: number;
  tone: 'bad' | 'warn';
  /** What it means, or what can be done about all of it. */
  note: ComponentChildren;
  /** What can be done about all of it at once. */
  action?: ComponentChildren;
  children: ComponentChildren;
}

/** One kind of trouble, with its action. */
export function Trouble({ title, count, tone, note, action, children }: TroubleProps): JSX.Element | null {
  if (count === 0) return null;
  return (
    <section class="panel trouble" aria-label={title}>
      <header>
        <div>
          <h2>
            {title} <Tag tone={tone}>{formatCount(count)}</Tag>
          </h2>
          <p class="soft">{note}</p>
        </div>
        {action}
      </header>
      <ul>{children}</ul>
    </section>
  );
}

export interface TroubleRowProps {
  /** What it is, usually a link. */
  name: ComponentChildren;
  /** Since when, and how much of it. */
  facts: readonly ComponentChildren[];
  reason?: ComponentChildren;
  action?: ComponentChildren;
}

/** One thing that is in trouble. */
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

/** Says that a list shows the first of many. */
export const NotShown = ({ shown, count }: { shown: number; count: number }): JSX.Element | null =>
  shown >= count ? null : (
    <li>
      <span class="soft">and {formatCount(count - shown)} more</span>
    </li>
  );
