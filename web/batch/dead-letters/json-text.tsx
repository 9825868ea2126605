import type { JSX } from 'preact';
import { plain } from '../../format.ts';

/** From about this many characters on, the text scrolls on a phone: then it must take the focus, to be scrolled by keys. */
const SCROLLS_FROM = 200;

/** A value of the pipeline as JSON on few lines, with all digits of its numbers. */
export function JsonText({ value, name }: { value: unknown; name: string }): JSX.Element {
  const text = plain(JSON.stringify(value));
  const scrolling = text.length < SCROLLS_FROM ? {} : ({ tabIndex: 0, role: 'region', 'aria-label': name } as const);
  return (
    <code class="item" {...scrolling}>
      <bdi>{text}</bdi>
    </code>
  );
}
