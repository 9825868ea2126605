/**
 * Traces with the API package alone: without an SDK nothing is recorded, but a client's `traceparent` is still
 * propagated and logged. The current trace is stored here and not by the context manager of an SDK, so that log lines
 * and messages contain it without an SDK.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/**
 * Version 00 of W3C Trace Context, the only one that is defined. A later version may be longer; the rest is ignored.
 */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

const current = new AsyncLocalStorage<string | undefined>();

export interface SpanOptions {
  /** The `traceparent` of the cause. Defaults to the current trace; if there is none, a new trace begins. */
  parent?: string | undefined;
  attributes?: Attributes;
  /** Defaults to 'internal'. */
  kind?: 'producer' | 'consumer' | 'internal';
  /** Milliseconds since 1970, for a span whose parent is known only after its start. */
  startMs?: number;
}

const KINDS = { producer: SpanKind.PRODUCER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL } as const;

/**
 * Runs `fn` in a span. If `fn` throws, the span ends as failed. Log lines, messages and events of `fn` contain the
 * trace.
 */
export async function withSpan<T>(name: string, options: SpanOptions, fn: (span: Span) => Promise<T>): Promise<T> {
  const { attributes = {}, kind = 'internal', startMs } = options;
  const parent = options.parent ?? current.getStore();
  const start = startMs === undefined ? {} : { startTime: startMs };
  const span = trace
    .getTracer('sluice')
    .startSpan(name, { attributes, kind: KINDS[kind], ...start }, contextOf(parent));
  return current.run(traceparentOf(span) ?? parent, async () => {
    try {
      return await fn(span);
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs `fn` in a trace, without a separate span. */
export const withTrace = <T>(traceparent: string | undefined, fn: () => T): T => current.run(traceparent, fn);

/** Returns the `traceparent` for messages, events and rows that are created now. */
export const currentTraceparent = (): string | undefined => current.getStore();

/** Returns the current trace's id, for log lines. */
export const currentTraceId = (): string | undefined => TRACEPARENT.exec(current.getStore() ?? '')?.[1];

/** Returns a client's header if it is well-formed. It is copied into every message, so other text must not pass. */
export function readTraceparent(header: string | null | undefined): string | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header ?? '') ?? [];
  return isSpanContextValid({ traceId, spanId, traceFlags: 0 }) ? `00-${traceId}-${spanId}-${flags}` : undefined;
}

/** Returns the trace that all of them belong to, or undefined. */
export function commonTrace(traceparents: Iterable<string | undefined>): string | undefined {
  const [first, ...others] = new Set(traceparents);
  return others.length === 0 ? first : undefined;
}

function failed(span: Span, error: unknown): void {
  span.recordException(error instanceof Error ? error : String(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
}

function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags = '00'] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
  });
}

function traceparentOf(span: Span): string | undefined {
  const context = span.spanContext();
  if (!isSpanContextValid(context)) return undefined;
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`;
}
