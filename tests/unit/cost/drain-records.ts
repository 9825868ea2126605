import { addSpent, type DrainRecord } from '../../../shared/cost/drains/drain-spending.ts';

/** The spending of a drain whose only operations are reads of its gate. */
export const spent = (generation: number, chunks: number, gets: number, received = chunks > 0) => ({
  ...{ generation, chunks, received },
  operations: { 'table.get': gets },
});

/** The records of these drains. */
export const recordsOf = (...all: ReturnType<typeof spent>[]): DrainRecord[] =>
  all.reduce<DrainRecord[]>((records, one) => addSpent(records, one), []);
