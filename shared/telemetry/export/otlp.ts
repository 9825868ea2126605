import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Exporters } from './exporters.ts';

/**
 * Creates exporters to a collector, as JSON over HTTP. They read headers and time limits from the standard variables
 * (`OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_EXPORTER_OTLP_TIMEOUT`).
 */
export function otlpExporters(endpoint: string): Exporters {
  const base = endpoint.replace(/\/+$/, '');
  return {
    spans: new OTLPTraceExporter({ url: `${base}/v1/traces` }),
    metrics: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
  };
}
