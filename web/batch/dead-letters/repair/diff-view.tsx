import { structuredPatch } from 'diff';
import type { JSX } from 'preact';
import { plain } from '../../../format.ts';

/** `context`: equal lines shown around each change. `timeout` in milliseconds: two unlike texts take long to compare. */
const OPTIONS = { context: 1, timeout: 200 } as const;

/** Shows the lines in which two texts differ. Equal lines far from a change are omitted. */
export function DiffView({ name, before, after }: { name: string; before: string; after: string }): JSX.Element {
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', OPTIONS);
  if (patch === undefined) return <p class="soft">{name}: too different to compare.</p>;
  if (patch.hunks.length === 0) return <p class="soft">{name}: nothing changes.</p>;
  const lines = patch.hunks.flatMap(({ lines }, n) => (n === 0 ? lines : [' …', ...lines]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll.
    <section class="diff" tabIndex={0} aria-label={`${name}: what changes`}>
      {lines.map((line, n) => (
        <Line key={n} sign={line.charAt(0)} text={line.slice(1)} />
      ))}
    </section>
  );
}

function Line({ sign, text }: { sign: string; text: string }): JSX.Element {
  const shown = (
    <>
      <span aria-hidden="true">{sign === '-' ? '−' : sign}</span> <bdi>{plain(text)}</bdi>
    </>
  );
  if (sign === '-') return <del>{shown}</del>;
  return sign === '+' ? <ins>{shown}</ins> : <div>{shown}</div>;
}
