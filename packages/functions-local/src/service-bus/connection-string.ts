import type { SharedKey } from './amqp/sas-token.ts';

/** The key of a broker that is given none; good for nothing else. */
export const DEFAULT_KEY: SharedKey = { name: 'RootManageSharedAccessKey', key: 'SAS_KEY_VALUE' };

/** For the client's constructor; it makes the client use plain TCP. */
export function connectionString(host: string, port: number, { name, key }: SharedKey = DEFAULT_KEY): string {
  const endpoint = `Endpoint=sb://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return `${endpoint};SharedAccessKeyName=${name};SharedAccessKey=${key};UseDevelopmentEmulator=true;`;
}
