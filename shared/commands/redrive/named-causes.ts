import type { BatchRow } from '../../batches/batch-row.ts';
import { causeOf } from '../../contract/cause.ts';
import type { DeadItem } from '../../contract/outcome.ts';
import { shortCause } from '../../processing/outcome/header-causes.ts';

/** Counts the dead letters that a redrive takes by cause, for the causes that the batch row contains. */
export class NamedCauses {
  readonly counts: Record<string, number> = {};
  readonly #named: ReadonlySet<string>;

  constructor({ causes = {} }: Pick<BatchRow, 'causes'>) {
    this.#named = new Set(Object.keys(causes));
  }

  add({ reason, error }: Pick<DeadItem, 'reason' | 'error'>): void {
    const cause = shortCause(causeOf(reason, error));
    if (this.#named.has(cause)) this.counts[cause] = (this.counts[cause] ?? 0) + 1;
  }
}
