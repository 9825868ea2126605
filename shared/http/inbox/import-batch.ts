import { createHash, randomBytes } from 'node:crypto';
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { orderImport } from '../../commands/inbox/order-import.ts';
import { type Labels, labelFault, MAX_LABELS } from '../../contract/text/labels.ts';
import { Problem } from '../../errors.ts';
import { type CsvOptions, readCsvOptions } from '../../intake/parse/csv-options.ts';
import type { Settings } from '../../settings.ts';
import type { Clients } from '../../storage/clients.ts';
import type { Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { keyOf, workloadOf } from '../edge/request/parameters.ts';
import { type ImportAnswer, type ImportRequest, importRequestSchema } from './schemas.ts';

export interface ImportHttp {
  container: Clients['container'];
  registry: Registry;
  settings: Pick<Settings, 'inboxSchedule'>;
}

const ID_LENGTH = 12;

/**
 * POST workloads/{workload}/batches/from-url: 202 with the future name of the file in the inbox. The app of any pool accepts
 * the request, as for an upload; the app of the workload's pool copies the file.
 */
export async function importBatch(
  { container, registry, settings }: ImportHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const workload = workloadOf(request, registry);
  const key = keyOf(request);
  const { url, lane, fileName, labels, csv } = await jsonBodyOf(request, importRequestSchema);
  if (lane !== undefined && !workload.lanes.includes(lane))
    throw new Problem('invalid-parameter', `lane must be one of ${workload.lanes.join(', ')}; got "${lane}".`);
  if (settings.inboxSchedule === undefined)
    throw new Problem(
      'conflict',
      `This app does not poll the inbox, so it cannot import files. Set SLUICE_INBOX_SCHEDULE, also for pool "${workload.pool}" of workload "${workload.name}".`,
    );
  const id = key === undefined ? randomBytes(ID_LENGTH / 2).toString('hex') : hashOf(workload.name, key);
  const order = { workload, lane, url, id, key, fileName, labels: labelsOf(labels), csv: csvOf(csv) };
  const name = await orderImport({ container }, order);
  const self = `/api/inbox?${new URLSearchParams({ name })}`;
  const answer: ImportAnswer = { inbox: { name }, links: { self } };
  return json(answer, { status: 202, headers: { location: self } });
}

const hashOf = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, ID_LENGTH);

function labelsOf(labels: ImportRequest['labels']): Labels | undefined {
  if (labels === undefined) return undefined;
  const all = Object.entries(labels);
  const tooMany = all.length > MAX_LABELS ? `Expected at most ${MAX_LABELS} labels.` : undefined;
  const fault = tooMany ?? all.map(([key, value]) => labelFault(key, value)).find((each) => each !== undefined);
  if (fault !== undefined) throw new Problem('invalid-parameter', fault);
  return all.length === 0 ? undefined : labels;
}

/** Reads the same values as the query of an upload. */
function csvOf({ rename = {}, ...named }: NonNullable<ImportRequest['csv']> = {}): CsvOptions {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(named)) if (value !== undefined) params.set(name, value);
  for (const [header, name] of Object.entries(rename)) params.append('rename', `${header}=${name}`);
  return readCsvOptions(params);
}
