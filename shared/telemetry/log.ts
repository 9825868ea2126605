/**
 * Structured log lines: one JSON object per line with an `event` name, and `traceId` within a trace. They are written
 * to the logger of the current invocation.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { currentTraceId } from './trace.ts';

export interface LogSink {
  debug: (message: string) => void;
  info: (message: string) => void;
  warn: (message: string) => void;
  error: (message: string) => void;
}

type Fields = Record<string, unknown>;
const sinks = new AsyncLocalStorage<LogSink>();
const nowhere: LogSink = { debug: () => {}, info: console.log, warn: console.warn, error: console.error };

/** Runs `fn` so that all its log lines are written to `sink`. */
export const withLog = <T>(sink: LogSink, fn: () => T): T => sinks.run(sink, fn);

const write = (level: keyof LogSink, event: string, fields: Fields): void =>
  (sinks.getStore() ?? nowhere)[level](JSON.stringify({ event, ...fields, traceId: currentTraceId() }));

/**
 * For example `log.info('batch-accepted', { batch })`. Errors are passed as `{ error }` and written with name, message
 * and cause.
 */
export const log = {
  debug: (event: string, fields: Fields = {}): void => write('debug', event, plain(fields)),
  info: (event: string, fields: Fields = {}): void => write('info', event, plain(fields)),
  warn: (event: string, fields: Fields = {}): void => write('warn', event, plain(fields)),
  error: (event: string, fields: Fields = {}): void => write('error', event, plain(fields)),
};

const plain = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? describe(value) : value]),
  );

/** Returns an error as data: name, message, the HTTP status of a service, and its causes. */
function describe(error: Error): Fields {
  const { name, message, cause } = error;
  const status = 'statusCode' in error ? { status: error.statusCode } : {};
  return { name, message, ...status, ...(cause instanceof Error ? { cause: describe(cause) } : {}) };
}
