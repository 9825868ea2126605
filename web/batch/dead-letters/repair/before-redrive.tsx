/** What a redrive would do, shown before it does it. */
import type { JSX } from 'preact';
import { parseExact } from '../../../../shared/contract/text/exact-json.ts';
import { mergePatch, type Patch } from '../../../../shared/contract/text/merge-patch.ts';
import type { DeadLetter } from '../../../api/types.ts';
import { formatNumberOf } from '../../../format.ts';
import { DiffView } from '../../../json/diff-view.tsx';
import { itemJson, placeOf, reindented } from '../item-json.ts';
import type { Scope } from '../scope.ts';
import { draftsOf } from './drafts.ts';

/** Items whose change is shown. */
const PREVIEWED = 3;

/** Corrections that were typed for items that now run in another way. */
export function IgnoredDrafts({ batch, scope }: { batch: string; scope: Scope }): JSX.Element | null {
  const known = new Set(scope.letters.map(({ index }) => index));
  const ignored = draftsOf(batch).filter(({ letter }) => known.has(letter.index));
  if (ignored.length === 0) return null;
  return (
    <p class="tone-warn">
      {formatNumberOf(ignored.length, 'correction')} of single items (
      {ignored.map(({ letter }) => placeOf(letter)).join(', ')}){ignored.length === 1 ? ' is' : ' are'} not sent with
      this, and forgotten. Send {ignored.length === 1 ? 'it' : 'them'} first if{' '}
      {ignored.length === 1 ? 'it matters' : 'they matter'}.
    </p>
  );
}

interface PreviewsProps {
  letters: readonly DeadLetter[];
  count: number;
  patch: string;
}

/** What a patch changes in the first items. */
export function Previews({ letters, count, patch }: PreviewsProps): JSX.Element {
  const change = parseExact(patch) as Patch;
  const shown = letters.slice(0, PREVIEWED);
  return (
    <div class="previews">
      {shown.map((letter) => {
        const before = itemJson(letter);
        const after = letter.item === undefined ? before : (mergePatch(before, change) ?? before);
        return (
          <div key={letter.index}>
            <h3>{placeOf(letter)}</h3>
            <DiffView name={placeOf(letter)} before={before} after={reindented(after)} />
          </div>
        );
      })}
      {count > shown.length && shown.length > 0 && (
        <p class="soft">and {formatNumberOf(count - shown.length, 'item')} more in the same way</p>
      )}
    </div>
  );
}
