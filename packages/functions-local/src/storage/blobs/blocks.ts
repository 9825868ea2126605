/** The uncommitted blocks that Azure would have dropped and Azurite still has, and the lengths of block ids. */

import type { Request } from '../request.ts';
import type { Refusal } from '../rules/refusal.ts';
import { readBlockList } from './block-list.ts';

interface Blocks {
  /** Uncommitted since the last commit of the blob. */
  staged: Set<string>;
  /** Uncommitted when Put Blob or a copy replaced the blob. */
  dropped: Set<string>;
}

/** Maximum number of blobs whose blocks are recorded. The least recently used one is dropped first. */
const MAX_BLOBS = 10_000;
const MAX_UNCOMMITTED = 100_000;

/** Records blocks across the calls of all clients. Blocks that were staged before the front started are unknown. */
export interface BlockLedger {
  /** Returns why a Put Block or Put Block List is refused, or undefined. */
  refusal(request: Request): Refusal | undefined;
  /** Records a call that the service executed. */
  done(request: Request): void;
}

export function createBlockLedger(): BlockLedger {
  const blobs = new Map<string, Blocks>();
  const keyOf = ({ account, resource, item }: Request): string => JSON.stringify([account, resource, item]);
  const touch = (key: string): Blocks => {
    const blocks = blobs.get(key) ?? { staged: new Set(), dropped: new Set() };
    blobs.delete(key);
    blobs.set(key, blocks);
    const [oldest] = blobs.keys();
    if (blobs.size > MAX_BLOBS && oldest !== undefined) blobs.delete(oldest);
    return blocks;
  };
  return {
    refusal: (request) => {
      const blocks = blobs.get(keyOf(request));
      if (blocks === undefined) return undefined;
      if (request.operation === 'put-block') return stageRefusal(request, blocks);
      return request.operation === 'put-block-list' ? commitRefusal(request, blocks) : undefined;
    },
    done: (request) => {
      const key = keyOf(request);
      if (request.operation === 'put-block') stage(request, touch(key));
      if (request.operation === 'put-block-list') blobs.delete(key);
      if (request.operation === 'put-blob' || request.operation === 'copy-blob') drop(blobs.get(key));
    },
  };
}

function drop(blocks: Blocks | undefined): void {
  for (const id of blocks?.staged ?? []) blocks?.dropped.add(id);
  blocks?.staged.clear();
}

function stage({ query }: Request, { staged, dropped }: Blocks): void {
  const id = query.get('blockid') ?? '';
  staged.add(id);
  dropped.delete(id);
}

function stageRefusal({ query }: Request, { staged }: Blocks): Refusal | undefined {
  const id = query.get('blockid') ?? '';
  const [other] = staged;
  if (other !== undefined && other.length !== id.length) {
    const message = 'The specified blob or block content is invalid.';
    return { rule: 'block-id-lengths', status: 400, code: 'InvalidBlobOrBlock', message };
  }
  if (staged.size < MAX_UNCOMMITTED || staged.has(id)) return undefined;
  const message = 'The uncommitted block count cannot exceed the maximum limit of 100,000 blocks.';
  return { rule: 'uncommitted-blocks', status: 409, code: 'BlockCountExceedsLimit', message };
}

function commitRefusal({ body }: Request, { dropped }: Blocks): Refusal | undefined {
  const wrong = readBlockList(body).some(({ source, id }) => source !== 'Committed' && dropped.has(id));
  const message = 'The specified block list is invalid.';
  return wrong ? { rule: 'dropped-blocks', status: 400, code: 'InvalidBlockList', message } : undefined;
}
