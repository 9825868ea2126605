import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

/** What `act` has measured, as `name` → `[attributes, value]`; of a histogram the sum. */
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
