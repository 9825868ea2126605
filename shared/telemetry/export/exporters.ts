import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';

/** What takes spans and metrics away. */
export interface Exporters {
  spans: SpanExporter;
  metrics: PushMetricExporter;
}
