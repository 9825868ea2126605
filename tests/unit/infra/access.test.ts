import { TableClient } from '@azure/data-tables';
import { BlobClient, BlobServiceClient, BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { describe, expect, it } from 'vitest';
import { declaredValue, descendants, nodesOf, parseBicep, plainText, properties } from './bicep.ts';
import { sourcesIn } from './code.ts';
import { tableBelow } from './docs-table.ts';

const ACCESS = 'infra/modules/access.bicep';
const roles = properties(declaredValue(ACCESS, 'role')).map(([key, value]) => ({ key, id: plainText(value) }));
const documented = tableBelow('docs/security.md', 'Roles').map(([name = '', id = '', who = '', on = '']) => ({
  name,
  id,
  who,
  on,
}));
const calls = tableBelow('docs/security.md', 'Calls and rights').map(
  ([client = '', method = '', right = '', role = '']) => ({ client, method, right, role }),
);
const clientFiles = sourcesIn('functions', 'shared', 'workloads');

describe('the roles', () => {
  it('are those of the table in docs/security.md, by id', () => {
    expect(roles.map(({ id }) => id).sort()).toEqual(documented.map(({ id }) => id).sort());
  });

  it('are named after the built-in roles whose ids they are', () => {
    const named = Object.fromEntries(documented.map(({ id, name }) => [id, name]));
    for (const { key, id } of roles) {
      const words = `Azure ${key.replaceAll(/[A-Z]/g, ' $&')}`.toLowerCase();
      expect(words).toContain(named[id ?? '']?.toLowerCase().replace(/^azure /, ''));
    }
  });

  it('are each granted, with a reason', () => {
    const text = parseBicep(ACCESS).text;
    const assigned = roles.filter(({ key }) => new RegExp(`role\\.${key}\\b`).test(text));
    expect(assigned).toEqual(roles);
    for (const list of ['hostRoles', 'dataRoles']) {
      expect(declaredValue(ACCESS, list).text.match(/^ +\/\/ .+\n +role\.\w+$/gm)).toHaveLength(3);
    }
  });

  it('are assigned on one resource each, never on the group', () => {
    const assignments = nodesOf(ACCESS, 'resource_declaration').filter(({ text }) => text.includes('roleAssignments@'));
    expect(assignments).toHaveLength(7);
    for (const { text } of assignments) {
      expect(text).toMatch(/^\s+scope: (hostAccount|dataAccount|serviceBus|component|scheduler)$/m);
    }
  });
});

describe('keys and passwords', () => {
  it.each([
    ['infra/modules/storage.bicep', 'allowSharedKeyAccess', 'false'],
    ['infra/modules/storage.bicep', 'allowBlobPublicAccess', 'false'],
    ['infra/modules/service-bus.bicep', 'disableLocalAuth', 'true'],
    ['infra/modules/monitoring.bicep', 'DisableLocalAuth', 'true'],
    ['infra/modules/monitoring.bicep', 'disableLocalAuth', 'true'],
  ])('%s: %s is %s', (file, name, value) => {
    const found = descendants(parseBicep(file)).filter(
      ({ type, text }) => type === 'object_property' && text.startsWith(`${name}:`),
    );
    expect(found.map(({ text }) => text)).toEqual([`${name}: ${value}`]);
  });
});

describe('the calls of the code', () => {
  /** Methods that send a request. The others make another client, or words that every collection has. */
  const sends = /^(?!get\w*Client$|with|generate|delete$|name$|getBlobAndContainer|getQueueName|getContainerName)/;
  const methods = [
    [QueueClient, QueueServiceClient],
    [BlobClient, BlockBlobClient, ContainerClient, BlobServiceClient],
    [TableClient],
  ]
    .flat()
    .flatMap((type) => Object.getOwnPropertyNames(type.prototype))
    .filter((name) => name !== 'constructor' && !name.startsWith('_') && sends.test(name));

  it('are all in the table of docs/security.md', () => {
    const known = new Set(calls.map(({ method }) => method));
    const used = clientFiles.flatMap(({ file, text }) =>
      [...new Set(methods)].filter((name) => text.includes(`.${name}(`)).map((name) => ({ file, name })),
    );
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter(({ name }) => !known.has(name))).toEqual([]);
  });

  it('ask for rights of roles that the apps have where they call', () => {
    const granted = documented.filter(({ who, on }) => who === 'apps' && /data account|namespace/.test(on));
    const names = granted.map(({ name }) => name);
    expect(calls.filter(({ role }) => !names.includes(role))).toEqual([]);
  });

  it('use no SDK client that the table does not know', () => {
    const packages = clientFiles.flatMap(({ text }) => text.match(/from '@azure\/[\w-]+'/g) ?? []);
    expect([...new Set(packages)].sort()).toEqual([
      "from '@azure/data-tables'",
      "from '@azure/functions'",
      "from '@azure/identity'",
      // Sends to the component alone, by the role that the table of roles has for it.
      "from '@azure/monitor-opentelemetry-exporter'",
      "from '@azure/service-bus'",
      "from '@azure/storage-blob'",
      "from '@azure/storage-queue'",
    ]);
  });
});
