import { type RequestOptions, requestJson } from './http/request.ts';
import type { Overview, SweepAnswer } from './types.ts';

/** What needs an operator now, over all queues and batches. */
export const fetchOverview = (options: RequestOptions = {}): Promise<Overview> =>
  requestJson<Overview>('overview', options);

/** Runs what a timer runs rarely: it looks at all open batches and queues, and repairs what it finds. */
export const runSweep = (): Promise<SweepAnswer> => requestJson<SweepAnswer>('sweep', { method: 'POST' });
