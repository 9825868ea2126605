/** If-None-Match: * for operations on which Azurite ignores it. */
import { type CallHead, type PassingAnswer, readBody, withoutHeaders } from '../call.ts';
import type { Operation } from '../operation.ts';
import { withQuery } from '../pages.ts';
import type { Request } from '../request.ts';
import type { Refusal } from '../rules/refusal.ts';

/** Refuses the operation if the blob exists. Queries the blob with the call's own authorization. */
export async function existsBlob(
  { operation, head, header }: Request,
  ask: (head: CallHead) => Promise<PassingAnswer>,
): Promise<Refusal | undefined> {
  if (!CHECKED.includes(operation) || header('if-none-match') !== '*') return undefined;
  const headers = withoutHeaders(head.headers, CONDITIONS);
  const answer = await ask({ ...head, method: 'HEAD', url: withQuery(head.url, { comp: undefined }), headers });
  await readBody(answer.body);
  if (answer.status !== 200) return undefined;
  const message = 'The condition specified using HTTP conditional header(s) is not met.';
  return { rule: 'none-match-any', status: 412, code: 'ConditionNotMet', message };
}

const CHECKED: readonly Operation[] = ['delete-blob', 'set-blob-metadata'];
const CONDITIONS = new Set(['if-none-match', 'content-length', 'content-type']);
