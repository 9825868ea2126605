/** Accounts of the emulator, and the connection strings with which the SDKs use them. */

/** The public account and key of every storage emulator. */
export const EMULATOR_ACCOUNT: StorageAccount = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};

export interface StorageAccount {
  name: string;
  /** Base64. */
  key: string;
}

/** Ports on 127.0.0.1. */
export interface ServicePorts {
  blob: number;
  queue: number;
  table: number;
}

/** Returns the connection string for the SDKs' `fromConnectionString` and a host's connection settings. */
export function connectionString(ports: ServicePorts, { name, key }: StorageAccount = EMULATOR_ACCOUNT): string {
  const endpoint = (service: string, port: number): string => `${service}Endpoint=http://127.0.0.1:${port}/${name};`;
  const endpoints = [endpoint('Blob', ports.blob), endpoint('Queue', ports.queue), endpoint('Table', ports.table)];
  return `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${key};${endpoints.join('')}`;
}
