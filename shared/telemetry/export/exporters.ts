import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';

/** Send spans and metrics to one target. */
export interface Exporters {
  spans: SpanExporter;
  metrics: PushMetricExporter;
}
