/** The ids of all rules. A test compares them with the rows of README.md. */

import { BLOB_RULES } from '../blobs/blob-rules.ts';
import { QUEUE_RULES } from '../queues/queue-rules.ts';
import { TABLE_RULES, TRANSACTION_RULES } from '../tables/table-rules.ts';
import { ANSWER_RULES } from './answer-rules.ts';
import { COMMON_RULES } from './common-rules.ts';

/** Rules that depend on earlier calls, or on the length of a body that is not kept. */
const STATEFUL = [
  ...['message-body-size', 'table-body-size', 'block-list-size'],
  ...['block-id-lengths', 'uncommitted-blocks', 'dropped-blocks', 'none-match-any', 'name-being-deleted'],
  'own-receipt',
];
/** Effects of a client's PagePolicy on answers. */
const PAGES = ['page-short', 'page-partition', 'page-empty'];

export const RULE_IDS: readonly string[] = [
  ...[COMMON_RULES, QUEUE_RULES, TABLE_RULES, TRANSACTION_RULES, BLOB_RULES, ANSWER_RULES].flatMap((rules) =>
    rules.map(({ id }: { id: string }) => id),
  ),
  ...STATEFUL,
  ...PAGES,
];
