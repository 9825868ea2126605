/** The deliveries of a batch to workers: only a delivery allows a worker to call the handler. */
import type { StorageAnswer, StorageCall } from 'functions-local';
import type { Reference } from '../../../../shared/contract/reference.ts';
import { rangeOf } from '../../../../shared/processing/sources.ts';
import { readChunkReference } from '../../../helpers/data/factories.ts';

/** Deliveries of one accepted chunk and of all chunks derived from it: retries, parts, redrives. */
export interface Delivered {
  /** Positions of the chunk: [first, end). */
  first: number;
  end: number;
  /** Items of all its deliveries. */
  items: number;
}

export interface Deliveries {
  /** Finds references in the answer of a storage call. */
  note(call: StorageCall, answer: StorageAnswer): void;
  /** By chunk id, of a batch. */
  of(batch: string): ReadonlyMap<string, Delivered>;
}

const REFERENCE_QUEUE = /\/slot\d+-normal-\d+\/messages\?/;
const TEXT = /<MessageText>(.*?)<\/MessageText>/gs;
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' };

export function createDeliveries(): Deliveries {
  const batches = new Map<string, Map<string, Delivered>>();
  const add = (reference: Reference): void => {
    const { batch, chunk } = reference;
    const [root = chunk] = chunk.split('.');
    const chunks = batches.get(batch) ?? new Map<string, Delivered>();
    const known = chunks.get(root) ?? { first: Number.NaN, end: Number.NaN, items: 0 };
    const [from, to] = rangeOf(reference);
    const range = chunk === root ? { first: reference.firstItem + from, end: reference.firstItem + to } : {};
    batches.set(batch, chunks.set(root, { ...known, ...range, items: known.items + to - from }));
  };
  return {
    note: ({ service, method, path }, { body }) => {
      if (service !== 'queue' || method !== 'GET' || !REFERENCE_QUEUE.test(path)) return;
      for (const [, text = ''] of body.toString('utf8').matchAll(TEXT)) add(readChunkReference(unescapeXml(text)));
    },
    of: (batch) => batches.get(batch) ?? new Map(),
  };
}

const unescapeXml = (text: string): string => text.replaceAll(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole);
