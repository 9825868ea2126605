/** The only entry to the OpenTelemetry SDK. It is loaded with `import()`, and only if an exporter is configured. */
import { metrics, trace } from '@opentelemetry/api';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, type MetricReader, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Operations } from '../../contract/operations.ts';
import { observeOperations } from '../metrics.ts';
import type { Exporters } from './exporters.ts';

/** Each export is stored and billed; charts have a resolution of one minute. */
const METRIC_INTERVAL_MS = 60_000;

/** The targets of telemetry; at least one of the first two. */
export interface TelemetryTargets {
  /** Base address of an OTLP collector over HTTP, such as `http://localhost:4318`. */
  otlpEndpoint?: string | undefined;
  /** Connection string of an Application Insights component. */
  connectionString?: string | undefined;
  /** Client id of the identity that writes to the component. If undefined, the connection string is sufficient. */
  clientId?: string | undefined;
}

export interface TelemetryOptions {
  targets: TelemetryTargets;
  /** Describes this process in traces and metrics, with the names of OpenTelemetry's semantic conventions. */
  resource: Record<string, string>;
  operations: () => Operations;
}

/** `shutdown` sends the remaining data and stops. */
export interface Telemetry {
  shutdown: () => Promise<void>;
}

/** Starts to record and export. Each exporter is imported separately, so that only configured ones are loaded. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { otlpEndpoint, connectionString, clientId } = options.targets;
  const exporters: Exporters[] = [];
  if (otlpEndpoint !== undefined) exporters.push((await import('./otlp.ts')).otlpExporters(otlpEndpoint));
  if (connectionString !== undefined) {
    const { azureMonitorExporters } = await import('./azure-monitor.ts');
    exporters.push(azureMonitorExporters(connectionString, clientId));
  }
  return register({
    resource: resourceFromAttributes(options.resource),
    spanProcessors: exporters.map(({ spans }) => new BatchSpanProcessor(spans)),
    readers: exporters.map(
      (each) => new PeriodicExportingMetricReader({ exporter: each.metrics, exportIntervalMillis: METRIC_INTERVAL_MS }),
    ),
    operations: options.operations,
  });
}

interface Parts {
  resource: Resource;
  spanProcessors: SpanProcessor[];
  readers: MetricReader[];
  operations: () => Operations;
}

/** Registers the SDK with the API package. */
export function register({ resource, spanProcessors, readers, operations }: Parts): Telemetry {
  const tracers = new BasicTracerProvider({ resource, spanProcessors });
  const meters = new MeterProvider({ resource, readers });
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
