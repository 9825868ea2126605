import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

/** The measurements of `act`, as `name` → `[attributes, value]`; the value of a histogram is its sum. */
export async function measured(act: () => void | Promise<void>): Promise<Record<string, [object, unknown][]>> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  metrics.setGlobalMeterProvider(provider);
  await act();
  await provider.forceFlush();
  const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  await provider.shutdown();
  const values = (points: { attributes: object; value: unknown }[]): [object, unknown][] =>
    points.map(({ attributes, value }) => [
      attributes,
      typeof value === 'object' && value !== null && 'sum' in value ? value.sum : value,
    ]);
  return Object.fromEntries(found.map(({ descriptor, dataPoints }) => [descriptor.name, values(dataPoints)]));
}
