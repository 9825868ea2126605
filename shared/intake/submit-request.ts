import type { ContainerClient } from '@azure/storage-blob';
import type { Labels } from '../contract/text/labels.ts';
import type { UploadEncoding, UploadFormat } from '../contract/upload-kinds.ts';
import type { Meter } from '../cost/meter.ts';
import type { Table } from '../storage/table.ts';
import type { EnqueueDeps } from '../wake/enqueue.ts';
import type { Spending } from '../wake/gate/spending.ts';
import type { Workload } from '../workload/define.ts';
import { itemSchemaOf } from '../workload/item-schema.ts';
import type { UploadLimits } from './limits.ts';
import type { CsvOptions } from './parse/csv/csv-options.ts';
import { type ReadUpload, readUpload, type UploadSource } from './read-upload.ts';
import type { ResumableSource } from './store/store-upload.ts';

/** What an upload is submitted with. */
export interface SubmitDeps extends EnqueueDeps {
  table: Table;
  keys: Table;
  container: (name: string) => ContainerClient;
  meter: Pick<Meter, 'measure' | 'record' | 'unrecorded' | 'knowsServiceTime'>;
  spending: Pick<Spending, 'add'>;
}

/** An upload, with what its names say checked already. */
export interface SubmitRequest {
  workload: Workload;
  lane?: string | undefined;
  /** The client's idempotency key. */
  key?: string | undefined;
  /**
   * The key stands for this content and no other: it is remembered for as long as its batch, and not for seven days only,
   * and the content of a repeat is not compared.
   */
  keepsKey?: boolean;
  source: { kind: 'http' | 'inbox'; name: string };
  /** Who put the message that asked for it, if one did. */
  producer?: string | undefined;
  /** Of the uploaded file, without folders. */
  fileName?: string | undefined;
  labels?: Labels | undefined;
  body: AsyncIterable<Uint8Array>;
  format: UploadFormat;
  encoding: UploadEncoding;
  csv?: CsvOptions | undefined;
  limits: UploadLimits;
  /** Every item must fit the schema, or nothing is accepted; default as the workload says. */
  validate?: boolean | undefined;
  /** A source that can be read from any byte: its intake goes on where an earlier one was interrupted. */
  resumable?: ResumableSource;
  traceparent?: string | undefined;
}

/** Reads an upload; `resumed`: from the place where an earlier intake of it ended. */
export const openUpload = (request: SubmitRequest, resumed?: Pick<UploadSource, 'body' | 'resume'>): ReadUpload =>
  readUpload({
    ...request,
    chunk: request.workload.chunk,
    schema: itemSchemaOf(request.workload),
    ...resumed,
  });
