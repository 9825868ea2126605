/**
 * Traces by the API package alone: without an SDK nothing is recorded, and what a client sent as `traceparent` is still
 * handed on and logged. The current trace is kept here and not by an SDK's context manager, so that log lines and
 * messages have it without one.
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

/** Version 00 of W3C Trace Context, all that is defined; a later one may be longer, and is cut to what 00 says. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

const current = new AsyncLocalStorage<string | undefined>();

export interface SpanOptions {
  /** The `traceparent` of what caused it; default the current trace, and without one a trace begins. */
  parent?: string | undefined;
  attributes?: Attributes;
  /** Default internal. */
  kind?: 'producer' | 'consumer' | 'internal';
  /** Milliseconds since 1970, for a span whose parent is known only after its beginning. */
  startMs?: number;
}

const KINDS = { producer: SpanKind.PRODUCER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL } as const;

/** Runs `fn` in a span: what throws ends it as failed, and log lines, messages and events below carry its trace. */
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

/** Runs `fn` in a trace without a span of its own. */
export const withTrace = <T>(traceparent: string | undefined, fn: () => T): T => current.run(traceparent, fn);

/** The `traceparent` that a message, an event or a row made now should carry. */
export const currentTraceparent = (): string | undefined => current.getStore();

/** The current trace's id, for log lines. */
export const currentTraceId = (): string | undefined => TRACEPARENT.exec(current.getStore() ?? '')?.[1];

/** A client's header if it is well-formed; it goes into every message, so nothing else may get through. */
export function readTraceparent(header: string | null | undefined): string | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header ?? '') ?? [];
  return isSpanContextValid({ traceId, spanId, traceFlags: 0 }) ? `00-${traceId}-${spanId}-${flags}` : undefined;
}

/** The one trace that all of them are of, or undefined. */
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
