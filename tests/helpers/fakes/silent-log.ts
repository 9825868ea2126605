import type { LogSink } from '../../../shared/telemetry/log.ts';

/** For `withLog`: keeps what a test provokes out of its output. */
export const SILENT_LOG: LogSink = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
