/** The lines of an outcome's frames. Items are inserted as text: they are never stringified again. */
import type { Attempt, DeadItem, DeadReason, RetryItem } from '../../../contract/outcome.ts';
import { itemJsonOf, type Source } from '../../sources.ts';
import type { ErrorText } from '../error-text.ts';
import { type Faithful, toFaithful } from './result-json.ts';

export interface Death {
  reason: DeadReason;
  error: ErrorText;
  attempts: readonly Attempt[];
  version: number;
}

const RESULT = ['result'];

const NOTHING: Faithful = { json: 'null', value: null };

/**
 * Returns a line of the results frame, and the result as a reader of the line gets it. A result of `undefined` becomes
 * the line `null`: each success has a result, and lines can be counted.
 * @throws TypeError with the path of a value that cannot be written.
 */
export const toResultLine = (result: unknown): Faithful =>
  result === undefined ? NOTHING : toFaithful(RESULT, result);

/** Returns a line of the dead frame. Without `text`, the item is absent. */
export function deadLine(source: Pick<Source, 'index'> | Source, death: Death): string {
  const { reason, error, attempts, version } = death;
  const dead: DeadItem = { index: source.index, reason, error, attempts: [...attempts], version };
  return withItem(dead, 'text' in source ? itemJsonOf(source) : undefined);
}

/** Returns a line of the retries frame. Without `notBefore`, the item may run immediately. */
export function retryLine(
  source: Source,
  attempts: readonly Attempt[],
  { notBefore, rerun }: { notBefore?: string | undefined; rerun?: RetryItem['rerun'] } = {},
): string {
  const { index } = source;
  const fields = { index, attempts, ...(notBefore && { notBefore }), ...(rerun && { rerun }) };
  return withItem(fields, itemJsonOf(source));
}

const withItem = (fields: object, itemJson: string | undefined): string => {
  const json = JSON.stringify(fields);
  return itemJson === undefined ? json : `${json.slice(0, -1)},"item":${itemJson}}`;
};
