/** Blob containers for handlers. The pipeline's own containers are excluded: their names are reserved. */

import { CONTAINERS } from '../contract/names.ts';
import { blobNameFault } from '../contract/text/blob-name.ts';
import { Reject } from './errors.ts';

/**
 * A blob container for handlers. It has two calls, instead of the SDK's client, so that handlers run on storage and in
 * memory, and are tested without either. Both calls end early when the item's signal aborts. Both throw Reject for a
 * name that is empty, longer than 1,024 characters, or has empty, `.` or `..` segments, backslashes or control
 * characters: names often come from items, and such a name would leave the container.
 */
export interface Container {
  /** Returns a blob's bytes, or undefined if the blob does not exist. */
  read(name: string): Promise<Buffer | undefined>;
  /**
   * Stores a whole blob and replaces one with the same name. Items are handled at least once, so derive the name only
   * from the item: then a repeat writes the same blob again. `contentType` defaults to application/octet-stream.
   */
  write(name: string, bytes: Uint8Array, options?: { contentType?: string }): Promise<void>;
}

/** Opens a container whose calls end when `signal` aborts. */
export type OpenContainer = (name: string, signal: AbortSignal) => Container;

/** Returns a container that refuses invalid blob names before it calls `container`. */
export const withCheckedNames = (container: Container): Container => ({
  read: async (name) => container.read(checkedName(name)),
  write: async (name, bytes, options) => container.write(checkedName(name), bytes, options),
});

/** Throws Reject, because repeating the item does not change the name. */
function checkedName(name: string): string {
  const fault = typeof name === 'string' ? blobNameFault(name) : 'is not a string';
  if (fault === undefined) return name;
  throw new Reject(`The blob name ${JSON.stringify(String(name).slice(0, 80))} ${fault}.`);
}

/** 3 to 63 lower-case letters, digits and single dashes. Source: Microsoft Learn, naming containers. */
const CONTAINER = /^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Whether a workload may have a container of this name: it is valid, and reserved neither for the pipeline nor for the
 * host.
 */
export const isOwnContainerName = (name: string): boolean =>
  CONTAINER.test(name) && !(Object.values(CONTAINERS) as string[]).includes(name) && !name.startsWith('azure-webjobs');
