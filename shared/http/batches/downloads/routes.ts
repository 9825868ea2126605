import { formats, JSON_TYPE, NDJSON_TYPE, NEXT, query, type Route, STATE, TEXTS } from '../../edge/route.ts';
import { getReport, REVISION, reportSchema } from './get-report.ts';
import { getResults, LIMIT, resultsManifestSchema } from './get-results.ts';

export const DOWNLOAD_ROUTES = [
  {
    name: 'get-results',
    method: 'GET',
    path: 'batches/{id}/results',
    audience: ['client'],
    summary: 'Results of the finished chunks in row order, or the positions of their frames',
    parameters: [
      formats('ndjson', 'csv'),
      query('from', 'The chunk to continue from'),
      LIMIT,
      query('manifest', 'Return the names of the blobs and the positions of the frames instead', { type: 'boolean' }),
      query('column', 'A column of the CSV. May be repeated', TEXTS),
      query('header', 'absent: no header line in the CSV', { type: 'string', enum: ['present', 'absent'] }),
    ],
    answers: [
      {
        status: 200,
        description: 'A page of at most 64 MiB. A page of the manifest is limited only by the number of chunks',
        content: { [NDJSON_TYPE]: 'text', 'text/csv': 'text', [JSON_TYPE]: resultsManifestSchema },
        headers: { ...NEXT, ...STATE },
      },
    ],
    problems: ['invalid-parameter', 'not-found'],
    handler: (app) => (request) => getResults(app.deps(), request),
  },
  {
    name: 'get-report',
    method: 'GET',
    path: 'batches/{id}/report',
    audience: ['client'],
    summary: 'The aggregate of a batch, one line per key',
    parameters: [formats('ndjson', 'csv', 'json'), REVISION],
    answers: [
      {
        status: 200,
        description: 'The whole report. NDJSON has one {key, value} per line',
        content: { [NDJSON_TYPE]: 'text', 'text/csv': 'text', [JSON_TYPE]: reportSchema },
        headers: {
          etag: 'Batch and revision',
          'sluice-report-revision': 'Revision',
          'sluice-report-rows': 'Number of keys',
          'sluice-report-created-at': 'When the last chunk was done',
          'sluice-report-accepted': 'Items accepted',
          'sluice-report-succeeded': 'Items succeeded',
          'sluice-report-dead': 'Dead letters',
          'sluice-report-discarded': 'Dead letters discarded',
          'sluice-report-cancelled': 'Items cancelled',
        },
      },
    ],
    problems: ['invalid-parameter', 'not-found'],
    handler: (app) => (request) => getReport(app.deps(), request),
  },
] as const satisfies readonly Route[];
