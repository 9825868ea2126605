/** The body of Put Block List. */

/** The list in which the service looks for a block. */
export type BlockSource = 'Committed' | 'Uncommitted' | 'Latest';

export interface BlockEntry {
  source: BlockSource;
  /** Base64. */
  id: string;
}

const ENTRY = /<(Committed|Uncommitted|Latest)>\s*([^<]*?)\s*<\/\1>/g;

/** Reads the blocks in order. The service itself refuses anything that is not an entry. */
export function readBlockList(body: Buffer): BlockEntry[] {
  return [...body.toString().matchAll(ENTRY)].map(([, source, id = '']) => ({ source: source as BlockSource, id }));
}
