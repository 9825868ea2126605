import type { JSX } from 'preact';
import type { ListedItem } from '../../api/types.ts';
import { formatCount, formatName, plain } from '../../format.ts';
import { Tag } from '../../ui/pieces.tsx';
import { pictureOf, resultText, sizeText } from './item-texts.ts';

const TONES: Readonly<Record<string, string>> = { succeeded: 'good', dead: 'warn', pending: 'info' };

/** One row per item: its place in the upload, its outcome, and the reason. */
export function ItemTable({ items }: { items: readonly ListedItem[] }): JSX.Element {
  return (
    <section class="panel flush">
      <table class="table stacking many-columns items">
        <thead>
          <tr>
            <th>Position</th>
            <th>State</th>
            <th class="number">Failed attempts</th>
            <th>Result, error or reason</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <ItemRow key={item.position} item={item} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ItemRow({
  item: { position, id, state, attempts, error, reason, result },
}: {
  item: ListedItem;
}): JSX.Element {
  return (
    <tr>
      <td class="main-cell">
        <strong>{formatCount(position)}</strong>
        {id !== undefined && (
          <small class="mono">
            <bdi>{plain(id)}</bdi>
          </small>
        )}
      </td>
      <td data-label="State">
        <Tag tone={TONES[state] ?? 'off'}>{formatName(state)}</Tag>
      </td>
      <td class="number" data-label="Failed attempts">
        {attempts === undefined ? <span class="soft">–</span> : formatCount(attempts)}
      </td>
      <td class="text-cell item-result">
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
      </td>
    </tr>
  );
}

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
