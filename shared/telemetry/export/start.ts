/** The only entry to the OpenTelemetry SDK. It is loaded with `import()`, and only if an exporter is configured. */
import { metrics, trace } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Operations } from '../../contract/operations.ts';
import type { TelemetrySettings } from '../../settings.ts';
import { observeOperations } from '../metrics.ts';

/** Each export is stored and billed; charts have a resolution of one minute. */
const METRIC_INTERVAL_MS = 60_000;

export interface TelemetryOptions {
  /** At least one of both. */
  targets: TelemetrySettings;
  /** Describes this process in traces and metrics, with the names of OpenTelemetry's semantic conventions. */
  resource: Record<string, string>;
  operations: () => Operations;
}

/** `shutdown` sends the remaining data and stops. */
export interface Telemetry {
  shutdown: () => Promise<void>;
}

/** Starts to record and export. */
export async function startTelemetry({ targets, resource, operations }: TelemetryOptions): Promise<Telemetry> {
  const { otlpEndpoint, connectionString, clientId } = targets;
  const exporters: Exporters[] = [];
  if (otlpEndpoint !== undefined) exporters.push(await otlpExporters(otlpEndpoint));
  if (connectionString !== undefined) exporters.push(await azureMonitorExporters(connectionString, clientId));
  const described = { resource: resourceFromAttributes(resource) };
  const spanProcessors = exporters.map(({ spans }) => new BatchSpanProcessor(spans));
  const readers = exporters.map(
    (each) => new PeriodicExportingMetricReader({ exporter: each.metrics, exportIntervalMillis: METRIC_INTERVAL_MS }),
  );
  const tracers = new BasicTracerProvider({ ...described, spanProcessors });
  const meters = new MeterProvider({ ...described, readers });
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
  observeOperations(operations);
  return {
    // A collector that is unavailable must not keep the process from ending.
    shutdown: async () => {
      await Promise.allSettled([tracers.shutdown(), meters.shutdown()]);
      trace.disable();
      metrics.disable();
    },
  };
}

/** Send spans and metrics to one target. Their packages are imported here, so that only configured ones are loaded. */
interface Exporters {
  spans: SpanExporter;
  metrics: PushMetricExporter;
}

/**
 * Creates exporters to a collector, as JSON over HTTP. They read headers and time limits from the standard variables
 * (`OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_EXPORTER_OTLP_TIMEOUT`).
 */
async function otlpExporters(endpoint: string): Promise<Exporters> {
  const { OTLPMetricExporter, OTLPTraceExporter } = await import('./otlp.ts');
  const base = endpoint.replace(/\/+$/, '');
  return {
    spans: new OTLPTraceExporter({ url: `${base}/v1/traces` }),
    metrics: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
  };
}

/**
 * Creates exporters to Application Insights, with the app's identity if the component requires one. Data that cannot be
 * sent is dropped, not stored on disk, because the disk of a released instance is lost.
 */
async function azureMonitorExporters(connectionString: string, clientId: string | undefined): Promise<Exporters> {
  const { ManagedIdentityCredential } = await import('@azure/identity');
  const { AzureMonitorMetricExporter, AzureMonitorTraceExporter } = await import(
    '@azure/monitor-opentelemetry-exporter'
  );
  const identity = clientId === undefined ? {} : { credential: new ManagedIdentityCredential({ clientId }) };
  const options = { connectionString, disableOfflineStorage: true, ...identity };
  return { spans: new AzureMonitorTraceExporter(options), metrics: new AzureMonitorMetricExporter(options) };
}
