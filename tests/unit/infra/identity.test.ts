import { afterEach, describe, expect, it } from 'vitest';
import { createMeter } from '../../../shared/cost/meter.ts';
import { readSettings } from '../../../shared/settings.ts';
import { type Clients, createClients } from '../../../shared/storage/clients.ts';

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

describe('clients by identity', () => {
  it('are at the addresses of the settings, each path with one slash', () => {
    const { container, queue, batches, gates, keys } = create(AZURE);
    expect(container('payloads').url).toBe('https://stdata1.blob.core.windows.net/payloads');
    expect(container('payloads').getBlobClient('a/b').url).toMatch(
      /^https:\/\/stdata1\.blob\.core\.windows\.net\/payloads\/a(\/|%2F)b$/,
    );
    expect(queue('billing-normal-0').url).toBe('https://stdata1.queue.core.windows.net/billing-normal-0');
    expect([batches, gates, keys].map(({ tableName }) => tableName)).toEqual(['batches', 'gates', 'keys']);
    expect(batches.url.replace(/\/$/, '')).toBe('https://stdata1.table.core.windows.net');
  });

  it('name the account as the subscription filters do: the account, not its address', () => {
    expect(create(AZURE).account).toBe('stdata1');
  });

  it('send with a token of the identity, not with a key', () => {
    const { container, queue, topic } = create(AZURE);
    const names = [container('payloads'), queue('a')].map((client) => {
      const { credential } = client as unknown as { credential: object };
      return credential.constructor.name;
    });
    expect(names).toEqual(['ManagedIdentityCredential', 'ManagedIdentityCredential']);
    expect(topic.entityPath).toBe('sluice-events');
  });

  it('fall back to what the environment offers where no client id is given', () => {
    const { SluiceStorage__clientId: _, ...env } = AZURE;
    const { credential } = create(env).container('payloads') as unknown as { credential: object };
    expect(credential.constructor.name).toBe('DefaultAzureCredential');
  });
});

describe('clients by connection string', () => {
  it('go to the emulators of this machine', () => {
    const { container, queue, account } = create({
      SluiceStorage: 'UseDevelopmentStorage=true',
      SluiceServiceBus: 'Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true;',
    });
    expect(container('payloads').url).toBe('http://127.0.0.1:10000/devstoreaccount1/payloads');
    expect(queue('a').url).toBe('http://127.0.0.1:10001/devstoreaccount1/a');
    expect(account).toBe('devstoreaccount1');
  });
});
