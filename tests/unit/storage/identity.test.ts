import type { TokenCredential } from '@azure/core-auth';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMeter } from '../../../shared/cost/meter.ts';
import { readSettings } from '../../../shared/settings.ts';
import { type Clients, createClients } from '../../../shared/storage/clients.ts';

/** Each returns a token that contains the arguments of its constructor. */
vi.mock('@azure/identity', () => {
  const credential = (of: (options?: { clientId: string }) => string) =>
    class {
      readonly getToken: () => Promise<{ token: string }>;
      constructor(options?: { clientId: string }) {
        this.getToken = async () => ({ token: of(options) });
      }
    };
  return {
    ManagedIdentityCredential: credential((options) => `identity ${options?.clientId}`),
    DefaultAzureCredential: credential(() => 'environment'),
  };
});

/** The token that a client would send. */
const tokenOf = async (client: unknown): Promise<string | undefined> => {
  const { credential } = client as { credential: TokenCredential };
  return (await credential.getToken('scope'))?.token;
};

/** As an app in Azure has them: primaryEndpoints end with a slash. */
const AZURE = {
  SluiceStorage__blobServiceUri: 'https://stdata1.blob.core.windows.net/',
  SluiceStorage__queueServiceUri: 'https://stdata1.queue.core.windows.net/',
  SluiceStorage__tableServiceUri: 'https://stdata1.table.core.windows.net/',
  SluiceStorage__credential: 'managedidentity',
  SluiceStorage__clientId: '00000000-0000-0000-0000-000000000001',
  SluiceServiceBus__fullyQualifiedNamespace: 'sb-1.servicebus.windows.net',
  SluiceServiceBus__credential: 'managedidentity',
  SluiceServiceBus__clientId: '00000000-0000-0000-0000-000000000001',
};

let clients: Clients | undefined;
const create = (env: Record<string, string>): Clients => {
  clients = createClients(readSettings(env), createMeter());
  return clients;
};

afterEach(() => clients?.close());

describe('clients with an identity', () => {
  it('use the addresses of the settings, with one slash before the path', () => {
    const { container, queue, batches, gates, keys } = create(AZURE);
    expect(container('payloads').url).toBe('https://stdata1.blob.core.windows.net/payloads');
    expect(container('payloads').getBlobClient('a/b').url).toMatch(
      /^https:\/\/stdata1\.blob\.core\.windows\.net\/payloads\/a(\/|%2F)b$/,
    );
    expect(queue('billing-normal-0').url).toBe('https://stdata1.queue.core.windows.net/billing-normal-0');
    expect([batches, gates, keys].map(({ tableName }) => tableName)).toEqual(['batches', 'gates', 'keys']);
    expect(batches.url.replace(/\/$/, '')).toBe('https://stdata1.table.core.windows.net');
  });

  it('use the name of the account that subscription filters contain, not its address', () => {
    expect(create(AZURE).account).toBe('stdata1');
  });

  it('send a token of the identity, not a key', async () => {
    const { container, queue, topic } = create(AZURE);
    const tokens = await Promise.all([container('payloads'), queue('a')].map(tokenOf));
    expect(tokens).toEqual(Array(2).fill('identity 00000000-0000-0000-0000-000000000001'));
    expect(topic.entityPath).toBe('sluice-events');
  });

  it('use the credentials of the environment if there is no client id', async () => {
    const { SluiceStorage__clientId: _, ...env } = AZURE;
    expect(await tokenOf(create(env).container('payloads'))).toBe('environment');
  });
});

describe('clients with a connection string', () => {
  it('use the emulators of this machine', () => {
    const { container, queue, account } = create({
      SluiceStorage: 'UseDevelopmentStorage=true',
      SluiceServiceBus: 'Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true;',
    });
    expect(container('payloads').url).toBe('http://127.0.0.1:10000/devstoreaccount1/payloads');
    expect(queue('a').url).toBe('http://127.0.0.1:10001/devstoreaccount1/a');
    expect(account).toBe('devstoreaccount1');
  });
});
