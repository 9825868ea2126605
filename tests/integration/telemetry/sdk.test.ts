import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../../infra/packaging/bundle.ts';
import { startTelemetry } from '../../../shared/telemetry/export/start.ts';
import { countWake } from '../../../shared/telemetry/metrics.ts';
import { withSpan } from '../../../shared/telemetry/trace.ts';

const SDK = /@opentelemetry\/(?!api\/)|monitor-opentelemetry-exporter|shared\/telemetry\/export/;

describe('the SDK in the package', () => {
  let outDir: string;
  let metafile: Metafile;
  beforeAll(async () => {
    outDir = await mkdtemp(join(tmpdir(), 'sluice-bundle-'));
    metafile = await bundle({ root: join(import.meta.dirname, '../../..'), outDir });
  });
  afterAll(() => rm(outDir, { recursive: true, force: true }));

  /** Sources of everything that the entry loads through the followed kinds of import. */
  function sources(kinds: string[]): string[] {
    const entry = Object.keys(metafile.outputs).find((name) => name.endsWith('functions/main.js')) ?? '';
    const seen = new Set([entry]);
    for (const name of seen) {
      const { imports = [] } = metafile.outputs[name] ?? {};
      for (const { path, kind } of imports) if (kinds.includes(kind) && path in metafile.outputs) seen.add(path);
    }
    return [...seen].flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {}));
  }

  it('is not loaded with the app', () => {
    expect(sources(['import-statement']).filter((source) => SDK.test(source))).toEqual([]);
  });

  it('is loaded when an exporter is configured', () => {
    const found = sources(['import-statement', 'dynamic-import']).filter((source) => SDK.test(source));
    for (const part of ['sdk-trace-base', 'exporter-trace-otlp-http', 'monitor-opentelemetry-exporter'])
      expect(found.some((source) => source.includes(part))).toBe(true);
  });
});

it('a collector gets spans and metrics, the last ones at the end', async () => {
  const got = new Map<string, string>();
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.set(request.url ?? '', Buffer.concat(chunks).toString());
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const otlpEndpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`;
  const resource = { 'service.name': 'sluice' };

  const telemetry = await startTelemetry({
    targets: { otlpEndpoint },
    resource,
    operations: () => ({ 'queue.put': 3 }),
  });
  await withSpan('sluice.intake', {}, async () => countWake('q', 'started'));
  await telemetry.shutdown();
  collector.close();

  expect([...got.keys()].sort()).toEqual(['/v1/metrics', '/v1/traces']);
  expect(got.get('/v1/traces')).toContain('"sluice.intake"');
  for (const name of ['sluice.wakes', 'sluice.operations']) expect(got.get('/v1/metrics')).toContain(`"${name}"`);
});
