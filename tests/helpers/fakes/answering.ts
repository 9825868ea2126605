import { createMeter } from '../../../shared/cost/meter.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import { type AnsweringDeps, createAnswering } from '../../../shared/http/edge/answers.ts';

const PARTS: AnsweringDeps = {
  meter: createMeter(),
  overhead: { add: () => {} },
  prices: readPriceSheet('2026'),
  nowMs: () => 0,
  recording: () => ({}),
  record: async () => {},
};

/**
 * Wraps handlers as the app does, with other parts. By default, there is no audit log, and the meter belongs to no
 * client.
 */
export const answeringWith = (parts: Partial<AnsweringDeps>): ReturnType<typeof createAnswering> =>
  createAnswering({ ...PARTS, ...parts });

export const answering = answeringWith({});
