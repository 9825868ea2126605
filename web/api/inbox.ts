import { jsonBody, nextPage, type Page, type RequestOptions, request } from './http/request.ts';
import type { InboxFile, InboxList } from './types.ts';

/**
 * Fetches a page of the inbox. The server lists two containers and the files in progress, and reads each rejected file.
 */
export async function fetchInbox(path: string | URL, options: RequestOptions = {}): Promise<Page<InboxFile>> {
  const answer = await request(path, options);
  const { files } = (await answer.json()) as InboxList;
  return { entries: files, next: nextPage(answer) };
}

/** Moves a rejected file back into the inbox. */
export const retryFile = (name: string): Promise<unknown> =>
  request('inbox/retry', { method: 'POST', ...jsonBody({ name }) });

/** Deletes a rejected file and its reason. */
export const deleteFile = (name: string): Promise<unknown> =>
  request(`inbox?${new URLSearchParams({ name })}`, { method: 'DELETE' });
