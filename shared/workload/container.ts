/** Blob containers as a handler sees them. The pipeline's own are not among them: their names are taken. */

import { CONTAINERS } from '../contract/names.ts';
import { blobNameFault } from '../contract/text/blob-name.ts';
import { Reject } from './errors.ts';

/**
 * A blob container for handlers. Two calls, not the SDK's client: a handler that is written against them runs on
 * storage and in memory alike, and is tested without either. Both end early when the item's signal aborts. Both throw
 * Reject for a name that is empty, over 1,024 characters, or has empty, `.` or `..` segments, backslashes or control
 * characters: names often come from items, and such a one would leave the container.
 */
export interface Container {
  /** A blob's bytes; undefined when there is no such blob. */
  read(name: string): Promise<Buffer | undefined>;
  /**
   * Stores a blob whole, in place of one of that name. Items are handled at least once: choose the name by the item
   * alone, so that a repeat writes the same blob again. `contentType` by default application/octet-stream.
   */
  write(name: string, bytes: Uint8Array, options?: { contentType?: string }): Promise<void>;
}

/** Opens a container; its calls end when `signal` aborts. */
export type OpenContainer = (name: string, signal: AbortSignal) => Container;

/** A container whose calls refuse invalid blob names before they reach `container`. */
export const withCheckedNames = (container: Container): Container => ({
  read: async (name) => container.read(checkedName(name)),
  write: async (name, bytes, options) => container.write(checkedName(name), bytes, options),
});

/** No repeat of the item makes its name a valid one. */
function checkedName(name: string): string {
  const fault = typeof name === 'string' ? blobNameFault(name) : 'is not a string';
  if (fault === undefined) return name;
  throw new Reject(`The blob name ${JSON.stringify(String(name).slice(0, 80))} ${fault}.`);
}

/** learn: naming containers — 3 to 63 lower-case letters, digits and single dashes. */
const CONTAINER = /^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/** Whether a workload may have a container of this name: valid, and none of the pipeline's or the host's. */
export const isOwnContainerName = (name: string): boolean =>
  CONTAINER.test(name) && !(Object.values(CONTAINERS) as string[]).includes(name) && !name.startsWith('azure-webjobs');
