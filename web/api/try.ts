import { request } from './http/request.ts';
import type { UploadCheck } from './types.ts';
import { type Upload, uploadHeaders, uploadUrl } from './upload.ts';

/** Validates the first part of a file without submitting it. Throws ApiError. */
export async function tryUpload(what: Upload, part: Blob, signal: AbortSignal): Promise<UploadCheck> {
  const options = { method: 'POST', headers: uploadHeaders(what), body: part, signal } as const;
  return (await (await request(uploadUrl(what, 'try'), options)).json()) as UploadCheck;
}
