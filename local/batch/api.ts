import type { StackKeys } from 'functions-local';
import { createApi as createClient } from '../../cli/api/client.ts';
import { parseLines } from '../../cli/text/lines.ts';
import type { ReportRow } from '../../cli/text/report-text.ts';
import type { BatchView } from '../../shared/http/batches/schemas.ts';
import type { QueueView } from '../../shared/http/queues/schemas.ts';

export type Batch = BatchView;

/** The part of the pipeline's HTTP API that the demo uses. Throws ApiProblem for refused requests. */
export interface SluiceApi extends ReturnType<typeof createClient> {
  batch(id: string): Promise<Batch>;
  queues(): Promise<QueueView[]>;
  report(id: string): Promise<ReportRow[]>;
}

/** Creates a client of the pipeline at `url`. Locally, one key is valid for all routes. */
export function createApi(url: string, keys: StackKeys): SluiceApi {
  const api = createClient({ url, key: keys.function, operatorKey: keys.function }, fetch);
  return {
    ...api,
    batch: (id) => api.json('GET batches/{id}', { path: { id } }),
    queues: async () => (await api.json('GET queues')).queues,
    report: async (id) => parseLines(await (await api.call('GET batches/{id}/report', { path: { id } })).text()),
  };
}
