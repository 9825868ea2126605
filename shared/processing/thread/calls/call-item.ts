import type { ItemContext, Workload } from '../../../workload/define.ts';
import { InvalidItem, isPromise, validateItem } from '../../../workload/validate-item.ts';
import { toErrorText } from '../../outcome/error-text.ts';
import { itemOf, type Source } from '../../sources.ts';
import type { AdmittedCall } from './admission.ts';
import type { ChunkRun } from './chunk-run.ts';
import type { Flight } from './flight.ts';
import { Context } from './item-context.ts';

type MapItem = NonNullable<Workload['map']>;

/**
 * Calls the handler for one item, and returns what it returned; a promise of it if the schema is asynchronous. Creates no
 * object and no closure for the synchronous case, because it runs once per item.
 * @throws the errors of the schema and of the handler
 */
export function callItem(run: ChunkRun, source: Source, flight: Flight, admitted: AdmittedCall | undefined): unknown {
  const { workload } = run;
  const item = validItem(workload, source);
  const context = new Context(run, source, flight);
  const map = workload.map as MapItem;
  if (isPromise(item)) return callLater(item, context, map, flight, admitted);
  admitted?.begin(1);
  return map(item, context);
}

/** Waits for the validation. Does not call the handler after its time limit, or after the end of its chunk. */
async function callLater(
  item: PromiseLike<unknown>,
  context: ItemContext,
  map: MapItem,
  flight: Flight,
  admitted: AdmittedCall | undefined,
): Promise<unknown> {
  const valid = await item;
  if (flight.isAborted) return undefined;
  admitted?.begin(1);
  return map(valid, context);
}

/**
 * Returns the item as converted by its schema; a promise of it if the schema is asynchronous.
 * @throws InvalidItem with the paths, also for a line that is not JSON; and any error that the schema itself throws.
 */
export const validItem = ({ item }: Workload, source: Source): unknown | PromiseLike<unknown> =>
  validateItem(item, readItem(source));

function readItem(source: Source): unknown {
  try {
    return itemOf(source);
  } catch (error) {
    throw new InvalidItem(`The line is not JSON: ${toErrorText(error).message}`);
  }
}
