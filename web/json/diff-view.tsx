import type { JSX } from 'preact';
import { plain } from '../format.ts';
import { type DiffLine, lineDiff } from './line-diff.ts';

/** Number of equal lines shown around each change. */
const CONTEXT = 1;
const SIGNS = { same: ' ', removed: '−', added: '+' } as const;

/** Two JSON values with their differences. Equal lines far from a change are omitted. */
export function DiffView({ name, before, after }: { name: string; before: string; after: string }): JSX.Element {
  const lines = lineDiff(before, after);
  const changed = lines.flatMap(({ kind }, n) => (kind === 'same' ? [] : [n]));
  if (changed.length === 0) return <p class="soft">{name}: nothing changes.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll.
    <section class="diff" tabIndex={0} aria-label={`${name}: what changes`}>
      {lines.map((line, n) => {
        const near = changed.some((at) => Math.abs(at - n) <= CONTEXT);
        if (near) return <Line key={n} line={line} />;
        const isFirst = n === 0 || changed.some((at) => n - at === CONTEXT + 1);
        return isFirst ? <div key={n}>…</div> : null;
      })}
    </section>
  );
}

function Line({ line: { kind, text } }: { line: DiffLine }): JSX.Element {
  const shown = (
    <>
      <span aria-hidden="true">{SIGNS[kind]}</span> <bdi>{plain(text)}</bdi>
    </>
  );
  if (kind === 'removed') return <del>{shown}</del>;
  return kind === 'added' ? <ins>{shown}</ins> : <div>{shown}</div>;
}
