import type { IncomingMessage } from 'node:http';
import type { DurableConfig } from '../config.ts';
import type { EngineOptions } from '../types.ts';

/** Path of the management API on the host. */
export const webhookPath = '/runtime/webhooks/durabletask';

/** The values from which the links are built. */
export interface UrlSource {
  /** Origin of the host's listener. */
  baseUrl: string;
  config: Pick<DurableConfig, 'hubName' | 'connectionName'>;
  systemKey: string | undefined;
}

export function toUrlSource(
  { baseUrl, systemKey }: Pick<EngineOptions, 'baseUrl' | 'systemKey'>,
  config: Readonly<DurableConfig>,
): UrlSource {
  return { baseUrl, config, systemKey };
}

/** Whether a request is for the management API. */
export function isWebhook(request: IncomingMessage): boolean {
  return request.url?.toLowerCase().startsWith(`${webhookPath}/`) ?? false;
}

/** Builds the links of one instance, which every answer about it contains. */
export function managementUrls(source: UrlSource, instanceId: string): Record<string, string> {
  const instance = `${source.baseUrl}${webhookPath}/instances/${instanceId}`;
  const query = requiredQuery(source);
  const withReason = (operation: string) => `${instance}/${operation}?reason={text}&${query}`;
  return {
    id: instanceId,
    statusQueryGetUri: `${instance}?${query}`,
    sendEventPostUri: `${instance}/raiseEvent/{eventName}?${query}`,
    terminatePostUri: withReason('terminate'),
    rewindPostUri: withReason('rewind'),
    purgeHistoryDeleteUri: `${instance}?${query}`,
    restartPostUri: `${instance}/restart?${query}`,
    suspendPostUri: withReason('suspend'),
    resumePostUri: withReason('resume'),
  };
}

/** Builds the value of a `durableClient` binding. */
export function clientBindingText(source: UrlSource, rpcBaseUrl: string): string {
  const base = `${source.baseUrl}${webhookPath}`;
  const create = `${base}/orchestrators/{functionName}[/{instanceId}]?`;
  const code = codeQuery(source);
  return JSON.stringify({
    taskHubName: source.config.hubName,
    connectionName: source.config.connectionName,
    creationUrls: {
      createNewInstancePostUri: `${create}${code}`,
      createAndWaitOnNewInstancePostUri: `${create}timeout={timeoutInSeconds}&pollingInterval={intervalInSeconds}&${code}`,
    },
    managementUrls: managementUrls(source, 'INSTANCEID'),
    baseUrl: base,
    requiredQueryStringParameters: requiredQuery(source),
    rpcBaseUrl,
  });
}

function requiredQuery(source: UrlSource): string {
  const { hubName, connectionName } = source.config;
  return `taskHub=${hubName}&connection=${connectionName}&${codeQuery(source)}`;
}

function codeQuery(source: UrlSource): string {
  return `code=${encodeURIComponent(source.systemKey ?? '')}`;
}
