import { TableClient } from '@azure/data-tables';
import { ServiceBusClient } from '@azure/service-bus';
import { BlobClient, BlobServiceClient, BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { QueueClient, QueueServiceClient } from '@azure/storage-queue';
import type { DeployedResource } from 'bicep-check';
import { describe, expect, it, test } from 'vitest';
import { tableBelow } from '../docs/docs-table.ts';
import { declaration, entriesOf, plainValue, textOf } from './bicep.ts';
import { CALLS_AND_RIGHTS } from './calls-and-rights.ts';
import { sourcesIn } from './code.ts';
import { deployedResources, ofType } from './deployed.ts';
import { PARAMETER_SETS } from './parameter-sets.ts';

const ACCESS = 'infra/modules/access.bicep';
const roles = entriesOf(declaration(ACCESS, 'role').value).map(([key, value]) => ({ key, id: plainValue(value) }));
const documented = tableBelow('docs/security.md', 'Roles').map(([name = '', id = '', who = '', on = '']) => ({
  name,
  id,
  who,
  on,
}));
const nameOf = (id: string): string => documented.find((role) => role.id === id)?.name ?? id;
const calls = CALLS_AND_RIGHTS;
const clientFiles = sourcesIn('functions', 'shared', 'workloads');
const code = clientFiles.map(({ text }) => text).join('\n');

const ACCOUNT = 'Microsoft.Storage/storageAccounts';
const ASSIGNMENT = 'Microsoft.Authorization/roleAssignments';
const PLACES: Readonly<Record<string, string>> = {
  'Microsoft.ServiceBus/namespaces': 'namespace',
  'Microsoft.Insights/components': 'Application Insights',
  'Microsoft.DurableTask/schedulers': 'scheduler',
};

/** Returns the role assignments of a deployment as `principal: role on scope`. */
function assignmentsOf(resources: readonly DeployedResource[]): string[] {
  const containers = ofType(resources, `${ACCOUNT}/blobServices/containers`);
  const dataAccount = containers.find(({ body }) => body.name === 'payloads')?.name.split('/')[0];
  return ofType(resources, ASSIGNMENT).map(({ scope, properties: sent }) => {
    const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(String(sent.roleDefinitionId))?.[0] ?? '';
    const isApp = String(sent.principalId).startsWith('[reference(Microsoft.ManagedIdentity/userAssignedIdentities ');
    const [type = '', name = ''] = scope.split(' ');
    const account = name === dataAccount ? 'data account' : 'host account';
    const place = type === ACCOUNT ? account : (PLACES[type] ?? type);
    return `${isApp ? 'apps' : 'operator'}: ${nameOf(id)} on ${place}`;
  });
}
const sets = Object.entries(PARAMETER_SETS).map(([set, parameters]) => [set, deployedResources(parameters)] as const);
const assigned = [...new Set(sets.flatMap(([, resources]) => assignmentsOf(resources)))].sort();

/** A call of the code: any row of the client in `CALLS_AND_RIGHTS` that requires the role. */
interface SdkUse {
  client: string;
}
/** A feature of the platform, with the documentation page that requires the role. */
interface PlatformUse {
  page: string;
  needs: string;
  /** The part of the code that uses the feature. If absent, the host or an operator uses it. */
  usedBy?: RegExp;
}

/** Durable Functions stores its own queues and tables with the identity of the host. */
const durable = { page: 'Microsoft Learn, includes/functions-durable-permissions', usedBy: /'durable-functions'/ };
const trigger = /\bapp\.serviceBusTopic\(/;
const USES: Readonly<Record<string, readonly (SdkUse | PlatformUse)[]>> = {
  'apps: Storage Blob Data Owner on host account': [
    {
      page: 'Microsoft Learn, functions-reference, "Connecting to host storage with an identity"',
      needs: 'keys and leases',
    },
  ],
  'apps: Storage Queue Data Contributor on host account': [{ ...durable, needs: 'control and work-item queues' }],
  'apps: Storage Table Data Contributor on host account': [{ ...durable, needs: 'history, instances and partitions' }],
  'apps: Storage Blob Data Contributor on data account': [{ client: 'blob' }],
  'apps: Storage Queue Data Contributor on data account': [{ client: 'queue' }],
  'apps: Storage Table Data Contributor on data account': [{ client: 'table' }],
  'apps: Azure Service Bus Data Owner on namespace': [
    { client: 'topic' },
    { page: 'Microsoft Learn, includes/functions-service-bus-permissions', needs: 'to take events', usedBy: trigger },
    {
      page: 'Microsoft Learn, functions-target-based-scaling',
      needs: 'Manage, to wake the app from zero',
      usedBy: trigger,
    },
  ],
  'apps: Monitoring Metrics Publisher on Application Insights': [
    {
      page: 'Microsoft Learn, azure-monitor/app/azure-ad-authentication',
      needs: 'telemetry by identity',
      usedBy: /'@azure\/monitor-opentelemetry-exporter'/,
    },
  ],
  'apps: Durable Task Data Contributor on scheduler': [
    {
      page: 'Microsoft Learn, durable-task/scheduler/durable-task-scheduler-identity',
      needs: 'to start, run, read and purge drains',
      usedBy: /'durable-functions'/,
    },
  ],
  // The data that an operator reads with the runbook; no code uses this identity.
  'operator: Storage Blob Data Reader on data account': [{ page: 'docs/operations.md', needs: 'payloads, outcomes' }],
  'operator: Storage Queue Data Reader on data account': [{ page: 'docs/operations.md', needs: 'messages that wait' }],
  'operator: Storage Table Data Reader on data account': [{ page: 'docs/operations.md', needs: 'batches and gates' }],
  'operator: Azure Service Bus Data Receiver on namespace': [{ page: 'docs/operations.md', needs: 'dead wake events' }],
};

/** Returns why the code of the app does not use an assignment; undefined if it does. */
function uselessness(assignment: string, text: string): string | undefined {
  const uses = USES[assignment];
  if (uses === undefined) return `${assignment}: no use is known`;
  const role = /: (.*) on /.exec(assignment)?.[1];
  const isUsed = (use: SdkUse | PlatformUse): boolean => {
    if (!('client' in use)) return use.usedBy?.test(text) ?? true;
    const rows = calls.filter(({ client, role: needed }) => client === use.client && needed === role);
    return rows.some(({ method }) => text.includes(`.${method}(`));
  };
  return uses.some(isUsed) ? undefined : `${assignment}: nothing in the code uses it`;
}

describe('the roles', () => {
  it('have the ids of the table in docs/security.md', () => {
    expect(roles.map(({ id }) => id).sort()).toEqual(documented.map(({ id }) => id).sort());
  });

  it('have the names of the built-in roles', () => {
    const named = Object.fromEntries(documented.map(({ id, name }) => [id, name]));
    for (const { key, id } of roles) {
      const words = `Azure ${key.replaceAll(/[A-Z]/g, ' $&')}`.toLowerCase();
      expect(words).toContain(named[String(id)]?.toLowerCase().replace(/^azure /, ''));
    }
  });

  it.each(['hostRoles', 'dataRoles'])('of %s are listed with a reason each', (list) => {
    const text = new RegExp(`^var ${list} = \\[\n[^\\]]*`, 'm').exec(textOf(ACCESS))?.[0] ?? '';
    expect(text).toContain('role.');
    expect(text.match(/^ +\/\/ .+\n +role\.\w+$/gm)).toHaveLength(text.match(/\brole\.\w+/g)?.length ?? 0);
  });
});

describe('the role assignments', () => {
  it('have the principals and scopes of the table in docs/security.md', () => {
    const table = documented.flatMap(({ name, who, on }) =>
      on
        .split(', ')
        .filter((place) => !place.startsWith('where '))
        .map((place) => `${who}: ${name} on ${place}`),
    );
    expect(assigned).toEqual(table.sort());
  });

  test.each(sets)('with %s exist once each, on a resource and never on the group', (_, resources) => {
    const all = assignmentsOf(resources);
    expect(all.length).toBeGreaterThan(7);
    expect(all).toEqual([...new Set(all)]);
    expect(all.filter((one) => / on (subscription|Microsoft\.)/.test(one))).toEqual([]);
  });

  it('are all used, and every use has its assignment', () => {
    expect(assigned.flatMap((one) => uselessness(one, code) ?? [])).toEqual([]);
    expect(Object.keys(USES).sort()).toEqual(assigned);
  });

  it('without a use are found: an unknown role, a role with a wrong scope, a role whose calls were removed', () => {
    const [one] = ofType(deployedResources(), ASSIGNMENT);
    if (one === undefined) throw new Error('Expected an assignment, got none.');
    const id = '17d1049b-9a84-46fb-8f53-869881c3d3ab';
    const made = { ...one, properties: { ...one.properties, roleDefinitionId: `[x(${id})]` } };
    const [more = ''] = assignmentsOf([...deployedResources(), made]).filter((each) => !assigned.includes(each));
    expect(uselessness(more, code)).toBe(`apps: ${id} on host account: no use is known`);

    const misplaced = 'apps: Storage Blob Data Contributor on host account';
    expect(uselessness(misplaced, code)).toBe(`${misplaced}: no use is known`);

    const queues = 'apps: Storage Queue Data Contributor on data account';
    const withoutQueues = code.replaceAll(/\.(create|\w+Messages?|getProperties)\(/g, '(');
    expect(uselessness(queues, withoutQueues)).toBe(`${queues}: nothing in the code uses it`);
    expect(uselessness('apps: Storage Table Data Contributor on data account', withoutQueues)).toBeUndefined();
  });
});

describe('keys and passwords', () => {
  it.each([
    [ACCOUNT, 'allowSharedKeyAccess', false],
    [ACCOUNT, 'allowBlobPublicAccess', false],
    ['Microsoft.ServiceBus/namespaces', 'disableLocalAuth', true],
    ['Microsoft.Insights/components', 'DisableLocalAuth', true],
    ['Microsoft.Web/sites/basicPublishingCredentialsPolicies', 'allow', false],
  ])('%s: %s is %s on each', (type, name, value) => {
    const found = sets.flatMap(([, resources]) => ofType(resources, type));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ properties: sent }) => sent[name] !== value)).toEqual([]);
  });

  it('of the workspace are off', () => {
    const [workspace] = ofType(deployedResources(), 'Microsoft.OperationalInsights/workspaces');
    expect(workspace?.properties.features).toMatchObject({ disableLocalAuth: true });
  });
});

describe('the calls of the code', () => {
  /** Methods that send a request. The others create another client, or are methods of every collection. */
  const sends = /^(?!get\w*Client$|with|generate|delete$|name$|getBlobAndContainer|getQueueName|getContainerName)/;
  const storageMethods = [
    [QueueClient, QueueServiceClient],
    [BlobClient, BlockBlobClient, ContainerClient, BlobServiceClient],
    [TableClient],
  ]
    .flat()
    .flatMap((type) => Object.getOwnPropertyNames(type.prototype))
    .filter((name) => name !== 'constructor' && !name.startsWith('_') && sends.test(name));
  /** The code may only send to the namespace; the host's trigger receives messages. */
  const busMethods = Object.getOwnPropertyNames(ServiceBusClient.prototype).filter((name) =>
    /^(accept|create(?!Sender))/.test(name),
  );
  const methods = [...new Set([...storageMethods, ...busMethods, 'sendMessages', 'scheduleMessages'])];
  const unknownCalls = (files: readonly { file: string; text: string }[]): string[] => {
    const known = new Set(calls.map(({ method }) => method));
    return files.flatMap(({ file, text }) =>
      methods.filter((name) => text.includes(`.${name}(`) && !known.has(name)).map((name) => `${file}: ${name}`),
    );
  };
  /** Returns the rows of the table whose role the apps do not have on the resource of the client. */
  const withoutRole = (rows: typeof calls): typeof calls =>
    rows.filter(({ client, role }) => {
      const place = client === 'topic' ? 'namespace' : 'data account';
      return !assigned.includes(`apps: ${role} on ${place}`);
    });

  it('are all listed with their rights', () => {
    expect(busMethods).toContain('createReceiver');
    expect(unknownCalls(clientFiles)).toEqual([]);
  });

  it('that the table does not list are found', () => {
    const file = { file: 'made-up.ts', text: 'await blob.createSnapshot(); bus.createReceiver("q");' };
    expect(unknownCalls([file])).toEqual(['made-up.ts: createSnapshot', 'made-up.ts: createReceiver']);
  });

  it('of the table exist in the code', () => {
    expect(calls.length).toBeGreaterThan(20);
    expect(calls.filter(({ method }) => !code.includes(`.${method}(`))).toEqual([]);
  });

  it('have their roles on the account or namespace that they use', () => {
    expect(withoutRole(calls)).toEqual([]);
  });

  it('without a role are found', () => {
    const call = { client: 'blob', method: 'upload', right: '', role: 'Storage Blob Data Owner' };
    expect(withoutRole([call])).toEqual([call]);
  });

  it('use only SDK clients that the table lists', () => {
    const packages = clientFiles.flatMap(({ text }) =>
      [...text.matchAll(/(?:from |import\(\s*)'(@azure\/[\w-]+)'/g)].map(([, name]) => name),
    );
    expect([...new Set(packages)].sort()).toEqual([
      // Types only.
      '@azure/core-auth',
      '@azure/data-tables',
      '@azure/functions',
      '@azure/identity',
      // Sends to the component alone, by the role that the table of roles has for it.
      '@azure/monitor-opentelemetry-exporter',
      '@azure/service-bus',
      '@azure/storage-blob',
      '@azure/storage-queue',
    ]);
  });
});
