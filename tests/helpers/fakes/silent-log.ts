import type { LogSink } from '../../../shared/telemetry/log.ts';

/** For `withLog`: suppresses the log lines that a test provokes. */
export const SILENT_LOG: LogSink = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
