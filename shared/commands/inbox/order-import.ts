import { CONTAINERS } from '../../contract/names.ts';
import { blobNameFault } from '../../contract/text/blob-name.ts';
import { type Labels, labelsText } from '../../contract/text/labels.ts';
import { fileNameOfUrl, fileNameText, kindOfName, MAX_FILE_NAME, NAME_RULE } from '../../contract/upload-kinds.ts';
import { Problem, unlessStatus } from '../../errors.ts';
import { ownBlob } from '../../intake/import/own-blob.ts';
import { accountOf, importName } from '../../intake/inbox/import-file.ts';
import { type CsvOptions, csvOptionsParams } from '../../intake/parse/csv-options.ts';
import { MAX_METADATA, metadataBytes } from '../../intake/upload-options.ts';
import type { Services } from '../../queues/services.ts';
import { downloadBytes } from '../../storage/blob-reads.ts';
import type { Workload } from '../../workload/define.ts';

export interface ImportOrder {
  workload: Workload;
  lane: string | undefined;
  url: string;
  /** Distinguishes files of the same name. A repeat of the request has the same id. */
  id: string;
  key: string | undefined;
  fileName: string | undefined;
  labels: Labels | undefined;
  csv: CsvOptions;
}

/** Characters of the address that are stored as metadata, for display. */
const MAX_SHOWN = 500;

/**
 * Stores an address in the inbox, for the next inbox scan to import. Returns the name of the file without `.url`. A
 * repeat with the same key changes nothing.
 * @throws Problem for an invalid address, name or option; 'idempotency-mismatch' if the key was used for another address.
 */
export async function orderImport({ container }: Pick<Services, 'container'>, order: ImportOrder): Promise<string> {
  const { workload, lane, url, id, key, labels, csv } = order;
  const inbox = container(CONTAINERS.inbox);
  ownBlob(url, { account: accountOf(inbox), workload });
  const base = baseName(order);
  const name = [workload.name, ...(lane === undefined ? [] : [lane]), `${id}-${base}`].join('/');
  const csvText = csvOptionsParams(csv).toString();
  const metadata = {
    filename: fileNameText(base),
    ...(key === undefined ? {} : { idempotencykey: key }),
    ...(labels === undefined ? {} : { labels: labelsText(labels) }),
    ...(csvText === '' ? {} : { csv: csvText }),
  };
  requireRoom(metadata);
  const shown = { ...metadata, importedfrom: new URL(url).href.slice(0, MAX_SHOWN) };
  const blob = inbox.getBlockBlobClient(importName(name));
  const blobHTTPHeaders = { blobContentType: 'text/plain; charset=utf-8' };
  // The entries of the client have priority over the one for display.
  const kept = metadataBytes(shown) > MAX_METADATA ? metadata : shown;
  const options = { metadata: kept, blobHTTPHeaders, conditions: { ifNoneMatch: '*' } };
  if (await unlessStatus([409], blob.upload(url, Buffer.byteLength(url), options))) return name;
  if ((await downloadBytes(blob)).toString('utf8') === url) return name;
  throw new Problem('idempotency-mismatch', 'This idempotency key was used before, for another address.');
}

/** Returns the name that the client gives, or the last segment of the address. */
function baseName({ url, fileName }: ImportOrder): string {
  const base = fileName ?? fileNameOfUrl(url);
  const fault = blobNameFault(base);
  if (fault !== undefined || base.includes('/') || base.length > MAX_FILE_NAME) {
    const what = fileName === undefined ? 'Without fileName, the last segment of url' : 'fileName';
    throw new Problem(
      'invalid-parameter',
      `${what} must be the name of a file, of at most ${MAX_FILE_NAME} characters.`,
    );
  }
  if (kindOfName(base)) return base;
  throw new Problem('unsupported-media-type', `"${base}" must end in ${NAME_RULE}. Give a fileName that does.`);
}

function requireRoom(metadata: Record<string, string>): void {
  const bytes = metadataBytes(metadata);
  if (bytes > MAX_METADATA)
    throw new Problem(
      'too-large',
      `labels, csv and fileName must be at most ${MAX_METADATA} bytes together; got ${bytes}.`,
    );
}
