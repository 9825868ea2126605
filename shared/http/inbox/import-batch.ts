import { hash, randomBytes } from 'node:crypto';
import { orderImport } from '../../commands/inbox/order-import.ts';
import { Problem } from '../../errors.ts';
import { type CsvOptions, readCsvOptions } from '../../intake/parse/csv-options.ts';
import type { Settings } from '../../settings.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { invalid, keyOf, requireLabels, workloadOf } from '../edge/request/parameters.ts';
import type { Handle } from '../edge/route.ts';
import { type ImportAnswer, type ImportRequest, importRequestSchema } from './schemas.ts';

type ImportHttp = Pick<Reads, 'container' | 'registry'> & { settings: Pick<Settings, 'inboxSchedule'> };

const ID_LENGTH = 12;

/**
 * POST workloads/{workload}/batches/from-url: 202 with the future name of the file in the inbox. The app of any pool accepts
 * the request, as for an upload; the app of the workload's pool reads the blob.
 */
export const importBatch: Handle<ImportHttp> = async ({ container, registry, settings }, request) => {
  const workload = workloadOf(request, registry);
  const key = keyOf(request);
  const { url, lane, fileName, labels = {}, csv } = await jsonBodyOf(request, importRequestSchema);
  if (lane !== undefined && !workload.lanes.includes(lane))
    throw invalid('lane', `one of ${workload.lanes.join(', ')}`, lane);
  requireLabels('labels', Object.entries(labels));
  if (settings.inboxSchedule === undefined)
    throw new Problem(
      'conflict',
      `This app does not poll the inbox, so it cannot import files. Set SLUICE_INBOX_SCHEDULE, also for pool "${workload.pool}" of workload "${workload.name}".`,
    );
  const digest =
    key === undefined ? randomBytes(ID_LENGTH).toString('hex') : hash('sha256', `${workload.name}\n${key}`);
  const id = digest.slice(0, ID_LENGTH);
  const given = Object.keys(labels).length === 0 ? undefined : labels;
  const order = { workload, lane, url, id, key, fileName, labels: given, csv: csvOf(csv) };
  const name = await orderImport({ container }, order);
  const self = `/api/inbox?${new URLSearchParams({ name })}`;
  const answer: ImportAnswer = { inbox: { name }, links: { self } };
  return json(answer, { status: 202, headers: { location: self } });
};

/** Reads the same values as the query of an upload. */
function csvOf({ rename = {}, ...named }: NonNullable<ImportRequest['csv']> = {}): CsvOptions {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(named)) if (value !== undefined) params.set(name, value);
  for (const [header, name] of Object.entries(rename)) params.append('rename', `${header}=${name}`);
  return readCsvOptions(params);
}
