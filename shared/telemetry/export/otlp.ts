/**
 * The exporters to a collector. They are imported on demand through this module, because a bundler gives the names of a CommonJS
 * package only to static imports.
 */
export { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
export { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
