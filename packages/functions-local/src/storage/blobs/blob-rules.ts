import { metadataRules, nameRule } from '../rules/common-rules.ts';
import { bodyTooLarge, invalidParameter, outOfRangeInput, type Rule } from '../rules/rule.ts';
import { type BlockEntry, readBlockList } from './block-list.ts';

const MAX_NAME_CHARACTERS = 1_024;
const MAX_SEGMENTS = 254;
const MAX_BLOCK_ID_BYTES = 64;
const MAX_BLOCKS = 50_000;
/** 50,000 ids of 64 bytes in base64 need 6 MiB with their tags. */
export const MAX_BLOCK_LIST_BYTES = 16 * 1024 * 1024;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Detected while the body is read. */
export const blockListTooLarge = { rule: 'block-list-size', ...bodyTooLarge(MAX_BLOCK_LIST_BYTES) };

const SETS_METADATA = [
  ...(['put-blob', 'put-block-list', 'copy-blob', 'set-blob-metadata', 'snapshot-blob'] as const),
  ...(['create-container', 'set-container-metadata'] as const),
];

export const BLOB_RULES: readonly Rule[] = [
  nameRule('container-name', ['$root', '$web', '$logs', '$blobchangefeed']),
  ...metadataRules('blob', SETS_METADATA),
  {
    id: 'blob-name-length',
    check: ({ item }) =>
      item === undefined || (item.length >= 1 && item.length <= MAX_NAME_CHARACTERS)
        ? undefined
        : outOfRangeInput(`Expected a blob name of 1 to ${MAX_NAME_CHARACTERS} characters, got ${item.length}.`),
  },
  {
    id: 'blob-name-segments',
    check: ({ item = '' }) =>
      item.split('/').length <= MAX_SEGMENTS
        ? undefined
        : outOfRangeInput(`The blob name has more than ${MAX_SEGMENTS} segments.`),
  },
  {
    id: 'block-id',
    on: ['put-block'],
    check: ({ query }) => {
      const id = query.get('blockid') ?? '';
      if (id !== '' && BASE64.test(id) && Buffer.byteLength(id, 'base64') <= MAX_BLOCK_ID_BYTES) return undefined;
      return invalidParameter('blockid', id, `Expected base64 of 1 to ${MAX_BLOCK_ID_BYTES} bytes.`);
    },
  },
  {
    id: 'block-count',
    on: ['put-block-list'],
    check: ({ body }) =>
      readBlockList(body).length > MAX_BLOCKS
        ? {
            status: 409,
            code: 'BlockCountExceedsLimit',
            message: `The committed block count cannot exceed the maximum limit of ${MAX_BLOCKS} blocks.`,
          }
        : undefined,
  },
  {
    id: 'block-list-ids',
    on: ['put-block-list'],
    check: ({ body }) => {
      const wrong = readBlockList(body).find(({ id }: BlockEntry) => !BASE64.test(id));
      return wrong && { status: 400, code: 'InvalidBlockId', message: 'The specified block ID is invalid.' };
    },
  },
];
