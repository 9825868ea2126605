import { API } from './http/base.ts';
import { ApiError } from './http/errors.ts';
import { request } from './http/request.ts';
import type { UploadCheck } from './types.ts';
import { type Upload, uploadHeaders, uploadUrl } from './upload.ts';

/** Validates the first part of a file without submitting it. Throws ApiError. */
export async function tryUpload(what: Upload, part: Blob, signal: AbortSignal): Promise<UploadCheck> {
  const options = { method: 'POST', headers: uploadHeaders(what), body: part, signal } as const;
  return (await (await request(uploadUrl(what, 'try'), options)).json()) as UploadCheck;
}

/**
 * Returns why an item, as JSON, does not fit the schema of its workload; empty if it does, and if the key may not ask:
 * a redrive validates the item, too.
 */
export async function faultsOfItem(workload: string, item: string): Promise<string[]> {
  const url = new URL(`workloads/${encodeURIComponent(workload)}/try`, API);
  // JSON has line breaks only between its tokens.
  const body = item.replaceAll(/[\r\n]+/g, ' ');
  try {
    const answer = await request(url, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body });
    const { causes, fault } = (await answer.json()) as UploadCheck;
    const messages = causes.flatMap(({ cause, examples }) => examples.map(({ message }) => message || cause));
    return fault === undefined ? messages : [...messages, fault.message];
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return [];
    throw error;
  }
}
