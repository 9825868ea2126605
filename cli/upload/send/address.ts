/** Submits a file that the app downloads from an address that it allows. */
import {
  encodingOfName,
  fileNameOfUrl,
  kindOfName,
  stemOfName,
  suffixOf,
} from '../../../shared/contract/upload-kinds.ts';
import type { ImportAnswer, ImportRequest } from '../../../shared/http/inbox/schemas.ts';
import { type CsvOptions, csvOptionsParams } from '../../../shared/intake/parse/csv-options.ts';
import { UsageError } from '../../process/errors.ts';
import type { Session } from '../../session.ts';
import { csvOptionsOf } from '../csv-flags.ts';
import { conversionOf } from '../kind.ts';
import { refuseValidate, type SendOptions } from './send-batch.ts';

/** Whether an argument is an address and not a file of this machine. */
export const isAddress = (argument: string): boolean => /^https?:\/\//i.test(argument);

/** Makes the app import the file at an address. Returns the name of the file in the inbox. Throws ApiProblem. */
export async function importAddress(
  { api }: Session,
  request: { workload: string; key: string; body: ImportRequest },
): Promise<string> {
  const { inbox } = await api.json<ImportAnswer>({
    path: `workloads/${encodeURIComponent(request.workload)}/batches/from-url`,
    method: 'POST',
    headers: { 'idempotency-key': request.key },
    body: request.body,
  });
  return inbox.name;
}

/** Creates the request from the options. Throws UsageError for options that the import does not support. */
export function importRequest(url: string, options: Omit<SendOptions, 'workload'>): ImportRequest {
  const { lane, label, via, sheet } = options;
  if (!URL.canParse(url)) throw new UsageError(`FILE: expected an https address, got ${url}`);
  if (via === 'http')
    throw new UsageError('--via http: cannot be combined with an address, which goes through the inbox');
  refuseValidate(options);
  const last = fileNameOfUrl(url);
  if (sheet !== undefined || (options.format === undefined && conversionOf(last) !== undefined))
    throw new UsageError(`FILE: the app imports only text formats, got ${last}`, {
      hint: 'Download the file and submit it: sluice converts it on this machine.',
    });
  const fileName = nameFor(last, options);
  const csv = csvOptionsOf(options);
  const format = kindOfName(fileName ?? last)?.format;
  if (csv !== undefined && format !== undefined && format !== 'csv')
    throw new UsageError('--delimiter, --decimal, --rename, --charset: expected a CSV file');
  return {
    url,
    ...(lane === undefined ? {} : { lane }),
    ...(label === undefined ? {} : { labels: label }),
    ...(fileName === undefined ? {} : { fileName }),
    ...(csv === undefined ? {} : { csv: namedOptions(csv) }),
  };
}

/** Returns a file name with the format of the options; undefined if there are none. */
function nameFor(last: string, { format, encoding }: Pick<SendOptions, 'format' | 'encoding'>): string | undefined {
  if (format === undefined && encoding === undefined) return undefined;
  const suffix = suffixOf(format ?? kindOfName(last)?.format ?? 'ndjson', encoding ?? encodingOfName(last));
  return `${stemOfName(last) || 'download'}${suffix}`;
}

/** Returns the options with the names that the API uses for their values. */
function namedOptions({ rename, ...named }: CsvOptions): NonNullable<ImportRequest['csv']> {
  return { ...Object.fromEntries(csvOptionsParams(named)), ...(rename === undefined ? {} : { rename: { ...rename } }) };
}
