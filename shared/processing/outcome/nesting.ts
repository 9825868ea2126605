import { findTooDeep, MAX_RESULT_NESTING } from '../../contract/nesting.ts';

/**
 * Gives `json` back.
 * @throws TypeError when it is nested too deep: whoever merges or converts it recurses, with a smaller stack than a thread.
 */
export function notTooDeep(what: string, json: string): string {
  if (findTooDeep(json, MAX_RESULT_NESTING) === undefined) return json;
  throw new TypeError(`${what} is nested over ${MAX_RESULT_NESTING} levels deep.`);
}
