/** A preview of a redrive. */
import type { JSX } from 'preact';
import { parseExact } from '../../../../shared/contract/text/exact-json.ts';
import { mergePatch, type Patch } from '../../../../shared/contract/text/merge-patch.ts';
import type { DeadLetter } from '../../../api/types.ts';
import { formatNumberOf } from '../../../format.ts';
import { DiffView } from '../../../json/diff-view.tsx';
import { itemJson, placeOf, reindented } from '../item-json.ts';
import type { Scope } from '../scope.ts';
import { draftsOf } from './drafts.ts';

/** Number of items whose change is shown. */
const PREVIEWED = 3;

/** Typed corrections of items that this redrive sends in another way. */
export function IgnoredDrafts({ batch, scope }: { batch: string; scope: Scope }): JSX.Element | null {
  const known = new Set(scope.letters.map(({ index }) => index));
  const ignored = draftsOf(batch).filter(({ letter }) => known.has(letter.index));
  if (ignored.length === 0) return null;
  return (
    <p class="tone-warn">
      {formatNumberOf(ignored.length, 'correction')} of single items (
      {ignored.map(({ letter }) => placeOf(letter)).join(', ')}){ignored.length === 1 ? ' is' : ' are'} not sent with
      this redrive, and {ignored.length === 1 ? 'is' : 'are'} deleted. To keep {ignored.length === 1 ? 'it' : 'them'},
      send {ignored.length === 1 ? 'it' : 'them'} first.
    </p>
  );
}

interface PreviewsProps {
  letters: readonly DeadLetter[];
  count: number;
  patch: string;
}

/** A preview of a patch on the first items. */
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
