import type { Workload } from '../../workload/define.ts';
import { InvalidItem, validateItemSafely } from '../../workload/validate-item.ts';

/** Reads the id of a record, given as JSON text; undefined where it has none. */
export type ReadId = (text: string) => Promise<string | undefined>;

/**
 * Makes the reader of ids: from the schema's output for a record, or from the record itself if it is invalid. Undefined for
 * a workload without the option `id`.
 */
export function idReader(workload: Workload | undefined): ReadId | undefined {
  if (workload?.id === undefined) return undefined;
  const { id, item } = workload as Workload & Required<Pick<Workload, 'id'>>;
  const itemOf = async (record: unknown): Promise<unknown> => {
    try {
      return await validateItemSafely(item, record);
    } catch (error) {
      if (error instanceof InvalidItem) return record;
      throw error;
    }
  };
  return async (text) => {
    try {
      return String(id(await itemOf(JSON.parse(text))));
    } catch {
      // The function is the workload's, and may throw for a record that does not fit the schema.
      return undefined;
    }
  };
}
