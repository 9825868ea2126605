import { ManagedIdentityCredential } from '@azure/identity';
import { AzureMonitorMetricExporter, AzureMonitorTraceExporter } from '@azure/monitor-opentelemetry-exporter';
import type { Exporters } from './exporters.ts';

/**
 * Creates exporters to Application Insights, with the app's identity if the component requires one. Data that cannot be
 * sent is dropped, not stored on disk, because the disk of a released instance is lost.
 */
export function azureMonitorExporters(connectionString: string, clientId: string | undefined): Exporters {
  const identity = clientId === undefined ? {} : { credential: new ManagedIdentityCredential({ clientId }) };
  const options = { connectionString, disableOfflineStorage: true, ...identity };
  return { spans: new AzureMonitorTraceExporter(options), metrics: new AzureMonitorMetricExporter(options) };
}
