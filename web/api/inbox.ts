import { jsonBody, nextPage, type RequestOptions, request } from './request.ts';
import { spend } from './spending.ts';
import type { InboxFile, InboxList } from './types.ts';

export interface InboxPageData {
  files: InboxFile[];
  next: URL | undefined;
}

/** A page of the inbox: two lists, one for the files being taken, and a read for each rejected file. */
export async function fetchInbox(path: string | URL, options: RequestOptions = {}): Promise<InboxPageData> {
  const answer = await request(path, { ...options, operations: 3 });
  const { files } = (await answer.json()) as InboxList;
  spend(files.filter(({ state }) => state === 'rejected').length, 0);
  return { files, next: nextPage(answer) };
}

/** Moves a rejected file back into the inbox. */
export const retryFile = (name: string): Promise<unknown> =>
  request('inbox/retry', { method: 'POST', operations: 5, ...jsonBody({ name }) });

/** Deletes a rejected file and its reason. */
export const deleteFile = (name: string): Promise<unknown> =>
  request(`inbox?${new URLSearchParams({ name })}`, { method: 'DELETE', operations: 3 });
