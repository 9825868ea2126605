import type { Labels } from '../contract/text/labels.ts';
import type { UploadEncoding, UploadFormat } from '../contract/upload-kinds.ts';
import type { Meter } from '../cost/meter.ts';
import type { Table } from '../storage/table.ts';
import type { Workload } from '../workload/define.ts';
import { itemSchemaOf } from '../workload/item-schema.ts';
import type { ContinueDeps } from './continue-intake.ts';
import type { UploadLimits } from './limits.ts';
import type { CsvOptions } from './parse/csv-options.ts';
import { type ReadUpload, readUpload, type UploadSource } from './read-upload.ts';
import type { ResumableSource } from './store/store-upload.ts';

export interface SubmitDeps extends ContinueDeps {
  keys: Table;
  meter: Pick<Meter, 'knowsServiceTime'>;
}

export interface SubmitRequest {
  workload: Workload;
  lane?: string | undefined;
  key?: string | undefined;
  /** The key identifies this content: it is kept as long as its batch, and the content of a repeat is not compared. */
  keepsKey?: boolean;
  /** `etag`: the version of an inbox file. */
  source: { kind: 'http' | 'inbox'; name: string; etag?: string };
  /** If present, refuses an upload whose process ended three times; the third start must be alone in its process. */
  crashes?: { isAlone: boolean };
  /** The producer of the message that requested the upload, if there was one. */
  producer?: string | undefined;
  fileName?: string | undefined;
  labels?: Labels | undefined;
  body: AsyncIterable<Uint8Array>;
  format: UploadFormat;
  encoding: UploadEncoding;
  csv?: CsvOptions | undefined;
  limits: UploadLimits;
  /** Whether every item must match the schema, or nothing is accepted. Defaults to the workload's option. */
  validate?: boolean | undefined;
  /** A source that can be read from any byte: its intake continues where an earlier one was interrupted. */
  resumable?: ResumableSource;
  traceparent?: string | undefined;
}

/** Starts reading an upload. With `resumed`, continues where an earlier intake of it ended. */
export const openUpload = (request: SubmitRequest, resumed?: Pick<UploadSource, 'body' | 'resume'>): ReadUpload =>
  readUpload({
    ...request,
    chunk: request.workload.chunk,
    schema: itemSchemaOf(request.workload),
    ...resumed,
  });
