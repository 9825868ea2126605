import { expect, test } from 'vitest';
import { readSettings, SettingsError } from '../../shared/settings.ts';

const CONNECTIONS = { SluiceStorage: 'UseDevelopmentStorage=true', SluiceServiceBus: 'Endpoint=sb://x' };
const MiB = 1024 * 1024;

test('only the two connections are required; all other settings have a default', () => {
  expect(readSettings(CONNECTIONS)).toMatchObject({
    storage: { connectionString: 'UseDevelopmentStorage=true' },
    serviceBus: { connectionString: 'Endpoint=sb://x' },
    pool: undefined,
    instance: undefined,
    topic: 'sluice-events',
    subscription: 'wake',
    sweepSchedule: '0 */15 * * * *',
    inboxSchedule: undefined,
    maxBodyBytes: 200 * MiB,
    maxItems: 100_000_000,
    sliceSeconds: 30,
    visibilitySeconds: 300,
  });
});

test('the instance has the name that the platform sets', () => {
  expect(readSettings({ ...CONNECTIONS, WEBSITE_INSTANCE_ID: 'host-2' }).instance).toBe('host-2');
});

test('a connection can be an address with an identity', () => {
  const settings = readSettings({
    SluiceStorage__blobServiceUri: 'https://a.blob.core.windows.net',
    SluiceStorage__queueServiceUri: 'https://a.queue.core.windows.net',
    SluiceStorage__tableServiceUri: 'https://a.table.core.windows.net',
    SluiceStorage__clientId: 'id',
    SluiceServiceBus__fullyQualifiedNamespace: 'a.servicebus.windows.net',
  });

  expect(settings.storage).toEqual({
    blobServiceUri: 'https://a.blob.core.windows.net',
    queueServiceUri: 'https://a.queue.core.windows.net',
    tableServiceUri: 'https://a.table.core.windows.net',
    clientId: 'id',
  });
  expect(settings.serviceBus).toEqual({ fullyQualifiedNamespace: 'a.servicebus.windows.net' });
});

test('an empty value counts as absent', () => {
  expect(readSettings({ ...CONNECTIONS, SLUICE_SLICE_SECONDS: '', SLUICE_POOL: '' })).toMatchObject({
    sliceSeconds: 30,
    pool: undefined,
  });
});

test.each([
  ['SLUICE_SLICE_SECONDS', '0'],
  ['SLUICE_SLICE_SECONDS', '121'],
  ['SLUICE_SLICE_SECONDS', 'thirty'],
  ['SLUICE_SLICE_SECONDS', '1.5'],
  ['SLUICE_VISIBILITY_SECONDS', '1'],
  ['SLUICE_MAX_BODY_BYTES', '300000000'],
  ['SLUICE_THREADS', '-1'],
  ['SLUICE_POOL', 'Heavy Pool'],
])('refuses %s = %s with the name of the setting', (name, value) => {
  expect(() => readSettings({ ...CONNECTIONS, [name]: value })).toThrow(name);
});

test('reports all problems in one error', () => {
  const read = () => readSettings({ SLUICE_THREADS: 'x', SLUICE_MAX_ITEMS: '0' });

  expect(read).toThrow(SettingsError);
  for (const name of ['SLUICE_THREADS', 'SLUICE_MAX_ITEMS', 'SluiceStorage', 'SluiceServiceBus']) {
    expect(read).toThrow(name);
  }
});

test('settings are frozen', () => {
  expect(Object.isFrozen(readSettings(CONNECTIONS))).toBe(true);
});

test('links to logs and traces are http addresses with a placeholder for the id', () => {
  const linksOf = (links: object) => readSettings({ ...CONNECTIONS, ...links }).links;

  expect(linksOf({})).toEqual({});
  const logs = 'https://logs.example/?query=%22{batch}%22';
  expect(linksOf({ SLUICE_LOGS_LINK: logs })).toEqual({ logs });
  for (const link of ['javascript:alert("{trace}")', 'https://traces.example/', 'https:///{trace}'])
    expect(() => linksOf({ SLUICE_TRACE_LINK: link }), link).toThrow('SLUICE_TRACE_LINK must be an http or https');
});
