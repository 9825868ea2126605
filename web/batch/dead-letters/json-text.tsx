import type { JSX } from 'preact';
import { plain } from '../../format.ts';

/** From about this length on, the text scrolls on a phone and must be focusable, so that keys can scroll it. */
const SCROLLS_FROM = 200;

/** A JSON value on few lines, with all digits of its numbers. */
export function JsonText({ value, name }: { value: unknown; name: string }): JSX.Element {
  const text = plain(JSON.stringify(value));
  const scrolling = text.length < SCROLLS_FROM ? {} : ({ tabIndex: 0, role: 'region', 'aria-label': name } as const);
  return (
    <code class="item" {...scrolling}>
      <bdi>{text}</bdi>
    </code>
  );
}
