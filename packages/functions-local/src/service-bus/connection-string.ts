import type { SharedKey } from './amqp/sas-token.ts';

/** The default key of a broker. It works only with the local broker. */
export const DEFAULT_KEY: SharedKey = { name: 'RootManageSharedAccessKey', key: 'SAS_KEY_VALUE' };

/** Returns the connection string for the client. It makes the client use plain TCP. */
export function connectionString(host: string, port: number, { name, key }: SharedKey = DEFAULT_KEY): string {
  const endpoint = `Endpoint=sb://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return `${endpoint};SharedAccessKeyName=${name};SharedAccessKey=${key};UseDevelopmentEmulator=true;`;
}
