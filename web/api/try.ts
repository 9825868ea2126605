import { request } from './request.ts';
import type { UploadCheck } from './types.ts';
import { type Upload, uploadHeaders, uploadUrl } from './upload.ts';

/** What the service makes of the first part of a file. Throws ApiError. */
export async function tryUpload(what: Upload, part: Blob): Promise<UploadCheck> {
  const options = { method: 'POST', headers: uploadHeaders(what), body: part, operations: 0 } as const;
  return (await (await request(uploadUrl(what, 'try'), options)).json()) as UploadCheck;
}
