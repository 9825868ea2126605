import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { checkUpload } from '../../../intake/check/check-upload.ts';
import { json } from '../../edge/answers.ts';
import { wholeOf } from '../../edge/request/parameters.ts';
import type { ReceiptBasis } from '../view/receipt-view.ts';
import type { UploadCheckView } from './schemas.ts';
import { type UploadHttp, uploadOf } from './upload-request.ts';

/** Bounds of `?items=`. */
export const TRY_ITEMS = { min: 1, max: 10_000, fallback: 1_000 };
/** Enough for 10,000 records of 1.5 KB, and affordable for an instance that reads 16 such bodies at a time. */
const MAX_TRY_BYTES = 16 * 1024 * 1024;
/** Limits slow or waiting schemas. Chosen for a user who waits for the answer on a page. */
const MAX_TRY_MS = 20_000;

export interface TryHttp extends UploadHttp {
  basis: ReceiptBasis;
}

/**
 * POST workloads/{workload}/try: 200 with the interpretation of the beginning of an upload, and how well it matches the
 * schema. Stores nothing, runs no handler, and does not read the rest of the body.
 */
export async function tryOverHttp({ basis, ...http }: TryHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const upload = uploadOf(request, http);
  const maxItems = wholeOf(request, 'items', TRY_ITEMS);
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  const check: UploadCheckView = await http.places.read(upload.body, (body) =>
    checkUpload({
      ...upload,
      body,
      maxItems,
      maxBytes: MAX_TRY_BYTES,
      signal: AbortSignal.timeout(MAX_TRY_MS),
      size: Number.isSafeInteger(length) && length > 0 ? length : undefined,
      ...basis,
    }),
  );
  return json(check);
}
