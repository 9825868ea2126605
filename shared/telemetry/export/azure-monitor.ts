import { ManagedIdentityCredential } from '@azure/identity';
import { AzureMonitorMetricExporter, AzureMonitorTraceExporter } from '@azure/monitor-opentelemetry-exporter';
import type { Exporters } from './exporters.ts';

/**
 * Exporters to Application Insights, as the app's identity where the component asks for one. What cannot be sent is
 * dropped and not kept on disk: an instance that goes takes its disk with it.
 */
export function azureMonitorExporters(connectionString: string, clientId: string | undefined): Exporters {
  const identity = clientId === undefined ? {} : { credential: new ManagedIdentityCredential({ clientId }) };
  const options = { connectionString, disableOfflineStorage: true, ...identity };
  return { spans: new AzureMonitorTraceExporter(options), metrics: new AzureMonitorMetricExporter(options) };
}
