import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { deleteRejected, type RejectedFilesDeps, retryRejected } from '../../commands/inbox/rejected-files.ts';
import { json } from '../edge/answers.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { inboxName } from './list-inbox.ts';
import { inboxRetrySchema } from './schemas.ts';

/** POST inbox/retry: moves a rejected file back into the inbox, where the next poll finds it. */
export async function retryInboxFile(deps: RejectedFilesDeps, request: HttpRequest): Promise<HttpResponseInit> {
  const { name } = await jsonBodyOf(request, inboxRetrySchema);
  await retryRejected(deps, inboxName(name));
  return json({ name }, { status: 202 });
}

/** DELETE inbox?name=: deletes a rejected file and its reason. */
export async function deleteInboxFile(deps: RejectedFilesDeps, request: HttpRequest): Promise<HttpResponseInit> {
  await deleteRejected(deps, inboxName(request.query.get('name') ?? ''));
  return { status: 204 };
}
