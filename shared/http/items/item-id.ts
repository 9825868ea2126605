import type { Workload } from '../../workload/define.ts';
import { InvalidItem, validateItemSafely } from '../../workload/validate-item.ts';

/** Reads the id of a record, given as JSON text; undefined if it has none. */
export type ReadId = (text: string) => Promise<string | undefined>;

/**
 * Creates the reader of ids. It uses the schema's output for a record, or the record itself if that is invalid. Undefined for
 * a workload without the option `id`.
 */
export function idReader(workload: Workload | undefined): ReadId | undefined {
  if (workload?.id === undefined) return undefined;
  const { id, item } = workload as Workload & Required<Pick<Workload, 'id'>>;
  return async (text) => {
    try {
      const record: unknown = JSON.parse(text);
      const valid = await validateItemSafely(item, record).catch((error: unknown) => {
        if (error instanceof InvalidItem) return record;
        throw error;
      });
      return String(id(valid));
    } catch {
      // The function belongs to the workload and may throw for an invalid record.
      return undefined;
    }
  };
}
