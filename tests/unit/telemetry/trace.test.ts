import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { log, withLog } from '../../../shared/telemetry/log.ts';
import {
  commonTrace,
  currentTraceparent,
  readTraceparent,
  withSpan,
  withTrace,
} from '../../../shared/telemetry/trace.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

function record(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  return exporter;
}

afterEach(() => trace.disable());

describe('without an SDK', () => {
  it('propagates the trace of the cause, and starts none', async () => {
    expect(await withSpan('a', { parent: PARENT }, async () => currentTraceparent())).toBe(PARENT);
    expect(await withSpan('a', {}, async () => currentTraceparent())).toBeUndefined();
  });
});

describe('with an SDK', () => {
  it('a span has the parent of its message, and is the parent of inner spans', async () => {
    const exporter = record();

    await withSpan('outer', { parent: PARENT }, () => withSpan('inner', {}, async () => {}));

    const [inner, outer] = exporter.getFinishedSpans();
    expect(outer?.spanContext().traceId).toBe(TRACE);
    expect(outer?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
  });

  it('a trace that starts here is propagated', async () => {
    const exporter = record();

    const passedOn = await withSpan('first', {}, async () => currentTraceparent());

    const [span] = exporter.getFinishedSpans();
    expect(passedOn).toBe(`00-${span?.spanContext().traceId}-${span?.spanContext().spanId}-01`);
  });

  it('an error ends its span as failed and is rethrown', async () => {
    const exporter = record();

    await expect(withSpan('a', {}, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');

    const [span] = exporter.getFinishedSpans();
    expect(span?.status).toEqual({ code: 2, message: 'no disk' });
    expect(span?.events.map(({ name }) => name)).toEqual(['exception']);
  });

  it('a trace that the client does not sample is not sampled here', async () => {
    const exporter = record();

    const passedOn = await withSpan('a', { parent: PARENT.replace(/01$/, '00') }, async () => currentTraceparent());

    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(passedOn).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });
});

it('log lines contain the id of their trace', () => {
  const lines: unknown[] = [];
  const write = (line: string): number => lines.push(JSON.parse(line));
  const sink = { debug: write, info: write, warn: write, error: write };

  withLog(sink, () => {
    log.info('outside');
    withTrace(PARENT, () => log.info('inside', { batch: 'b' }));
  });

  expect(lines).toEqual([{ event: 'outside' }, { event: 'inside', batch: 'b', traceId: TRACE }]);
});

it.each([
  [PARENT, PARENT],
  [`cc-${TRACE}-b7ad6b7169203331-01-what-may-come`, PARENT],
  [`ff-${TRACE}-b7ad6b7169203331-01`, undefined],
  [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, undefined],
  [`${PARENT}, ${PARENT}`, undefined],
  ['x'.repeat(70_000), undefined],
  ['', undefined],
  [null, undefined],
])('header %#: only a well-formed traceparent is copied into messages', (header, expected) => {
  expect(readTraceparent(header)).toBe(expected);
});

it('a message for several traces contains none', () => {
  expect(commonTrace([PARENT, PARENT])).toBe(PARENT);
  expect(commonTrace([PARENT, undefined])).toBeUndefined();
  expect(commonTrace([])).toBeUndefined();
});
