import { type RequestOptions, requestJson } from './http/request.ts';
import type { Overview, SweepAnswer } from './types.ts';

/** Fetches what needs an operator's attention, over all queues and batches. */
export const fetchOverview = (options: RequestOptions = {}): Promise<Overview> =>
  requestJson<Overview>('overview', options);

/**
 * Runs a sweep, which a timer otherwise runs rarely: it checks all unfinished batches and all queues, and repairs what
 * it finds.
 */
export const runSweep = (): Promise<SweepAnswer> => requestJson<SweepAnswer>('sweep', { method: 'POST' });
