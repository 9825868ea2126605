/** The body of Put Block List. */

/** Which list the service looks a block up in. */
export type BlockSource = 'Committed' | 'Uncommitted' | 'Latest';

export interface BlockEntry {
  source: BlockSource;
  /** Base64. */
  id: string;
}

const ENTRY = /<(Committed|Uncommitted|Latest)>\s*([^<]*?)\s*<\/\1>/g;

/** The blocks in their order. What is no entry is left to the service to refuse. */
export function readBlockList(body: Buffer): BlockEntry[] {
  return [...body.toString().matchAll(ENTRY)].map(([, source, id = '']) => ({ source: source as BlockSource, id }));
}
