import type { JSX } from 'preact';
import { plain } from '../format.ts';

export interface Bar {
  name: string;
  value: number;
  text: string;
  tone?: string;
  note?: string;
}

export interface BarListProps {
  bars: readonly Bar[];
  /** On a logarithmic scale, a value ten times as large is one step longer. */
  logarithmic?: boolean;
}

const MIN = 0.012;

/** Bars with names and values; a negative value has a bar of the same length in another tone. */
export function BarList({ bars, logarithmic = false }: BarListProps): JSX.Element {
  const scale = (value: number): number => (logarithmic ? Math.log10(1 + Math.abs(value)) : Math.abs(value));
  const top = Math.max(...bars.map(({ value }) => scale(value)), Number.MIN_VALUE);
  return (
    <ol class="bar-list">
      {bars.map(({ name, value, text, tone = 'accent', note }) => (
        <li key={name}>
          <span class="bar-name" title={plain(name)}>
            <bdi>{plain(name)}</bdi>
          </span>
          <span class="bar-track">
            <span
              class={`bar-fill fill-${value < 0 ? 'warn' : tone}`}
              style={{ width: `${Math.max(value === 0 ? 0 : MIN, scale(value) / top) * 100}%` }}
            />
          </span>
          <span class="bar-text">
            {text}
            {note && <small>{note}</small>}
          </span>
        </li>
      ))}
    </ol>
  );
}
