import type { JSX } from 'preact';
import type { ListedItem } from '../../api/types.ts';
import { formatCount, formatName, plain } from '../../format.ts';
import { Tag } from '../../ui/pieces.tsx';
import { type Column, known, Table } from '../../ui/table.tsx';
import { pictureOf, resultText, sizeText } from './item-texts.ts';

const TONES: Readonly<Record<string, string>> = { succeeded: 'good', dead: 'warn', pending: 'info' };

/** One row per item: its place in the upload, its outcome, and the reason. */
export const ItemTable = ({ items }: { items: readonly ListedItem[] }): JSX.Element => (
  <section class="panel flush">
    <Table look="many-columns items" columns={COLUMNS} rows={items} keyOf={({ position }) => position} />
  </section>
);

const COLUMNS: readonly Column<ListedItem>[] = [
  {
    title: 'Position',
    kind: 'main-cell',
    cell: ({ position, id }) => (
      <>
        <strong>{formatCount(position)}</strong>
        {id !== undefined && (
          <small class="mono">
            <bdi>{plain(id)}</bdi>
          </small>
        )}
      </>
    ),
  },
  { title: 'State', cell: ({ state }) => <Tag tone={TONES[state] ?? 'off'}>{formatName(state)}</Tag> },
  { title: 'Failed attempts', kind: 'number', cell: ({ attempts }) => known(attempts, formatCount) },
  {
    title: 'Result, error or reason',
    kind: 'text-cell',
    cell: ({ error, reason, result }) => (
      <>
        {error !== undefined && (
          <p class="tone-warn">
            <bdi>{plain(error)}</bdi>
          </p>
        )}
        {reason !== undefined && (
          <p>
            <bdi>{plain(reason)}</bdi>
          </p>
        )}
        <Result result={result} />
      </>
    ),
  },
];

function Result({ result }: { result: unknown }): JSX.Element | null {
  const picture = pictureOf(result);
  if (picture === undefined) return result === undefined ? null : <code>{plain(resultText(result))}</code>;
  return (
    <>
      <p>
        <span class="mono">{plain(picture.source)}</span> <small>{sizeText(picture)}</small>
      </p>
      <ul class="thumbnails">
        {picture.thumbnails.map((thumbnail) => (
          <li key={thumbnail.name}>
            <span class="mono">{plain(thumbnail.name)}</span> <small>{sizeText(thumbnail)}</small>
          </li>
        ))}
      </ul>
    </>
  );
}
