/** Tests private networking with the expanded template. */

import type { DeployedResource } from 'bicep-check';
import { describe, expect, it } from 'vitest';
import { declaration, plainValue } from './bicep.ts';
import { deployedResources, ofType } from './deployed.ts';
import { names, pool, property } from './resources.ts';

/** Returns the id with which another resource refers to this one. */
const idOf = (type: string, name: string): string => `[reference(${type} ${name}).id]`;
/** Returns the id that main.bicep computes, so that what-if knows it. */
const idIn = (type: string, ...names: string[]): string =>
  `[resourceId(00000000-0000-0000-0000-000000000000 rg-sluice ${type} ${names.join(' ')})]`;
interface Endpoint {
  target: string;
  group: string;
  zone: string;
  subnet: string;
}
interface Connection {
  properties: { privateLinkServiceId: string; groupIds: string[] };
}
interface ZoneConfig {
  properties: { privateDnsZoneId: string };
}

interface Subnet {
  name: string;
  properties: { addressPrefix: string; delegations?: { properties: { serviceName: string } }[] };
}

const subnetsOf = (resources: DeployedResource[]): Subnet[] =>
  ofType(resources, 'Microsoft.Network/virtualNetworks').flatMap(
    ({ properties }) => properties.subnets as unknown as Subnet[],
  );
const addressesOf = (resources: DeployedResource[]): string[] =>
  subnetsOf(resources).map(({ properties }) => properties.addressPrefix);

/** The targets of private endpoints, with the DNS zone of each. */
function endpointsOf(resources: DeployedResource[]): Endpoint[] {
  const groups = ofType(resources, 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups');
  return ofType(resources, 'Microsoft.Network/privateEndpoints').flatMap(({ name, properties }) => {
    const { privateLinkServiceConnections: connections, subnet } = properties as unknown as {
      privateLinkServiceConnections: Connection[];
      subnet: { id: string };
    };
    const zones = groups
      .filter((group) => group.name.startsWith(`${name}/`))
      .flatMap(
        (group) => (group.properties as unknown as { privateDnsZoneConfigs: ZoneConfig[] }).privateDnsZoneConfigs,
      );
    return connections.map((connection) => ({
      target: connection.properties.privateLinkServiceId,
      group: connection.properties.groupIds.join(),
      zone: zones.map(({ properties: { privateDnsZoneId } }) => privateDnsZoneId).join(),
      subnet: subnet.id,
    }));
  });
}

describe.each([
  ['one pool', [pool('default')]],
  ['three pools', [pool('default'), pool('media'), pool('reports')]],
])('privateNetworking with %s', (_, pools) => {
  const resources = deployedResources({ privateNetworking: true, pools });
  const endpoints = endpointsOf(resources);
  const apps = names(resources, 'Microsoft.Web/sites');

  it('closes the public endpoint of every storage account, the namespace and every app', () => {
    const types = ['Microsoft.Storage/storageAccounts', 'Microsoft.ServiceBus/namespaces', 'Microsoft.Web/sites'];
    const access = types.flatMap((type) => property(resources, type, 'publicNetworkAccess'));
    expect(access).toEqual(Array(2 + 1 + pools.length).fill('Disabled'));
    expect(property(resources, 'Microsoft.Storage/storageAccounts', 'networkAcls')).toEqual(
      Array(2).fill({ defaultAction: 'Deny', bypass: 'None' }),
    );
  });

  it('creates an endpoint with its DNS zone for each of them', () => {
    const zone = (name: string): string => idIn('Microsoft.Network/privateDnsZones', `privatelink.${name}`);
    const wanted = [
      ...names(resources, 'Microsoft.Storage/storageAccounts').flatMap((name) =>
        ['blob', 'queue', 'table'].map((group) => ({
          target: idIn('Microsoft.Storage/storageAccounts', name),
          group,
          zone: zone(`${group}.core.windows.net`),
        })),
      ),
      ...names(resources, 'Microsoft.ServiceBus/namespaces').map((name) => ({
        target: idIn('Microsoft.ServiceBus/namespaces', name),
        group: 'namespace',
        zone: zone('servicebus.windows.net'),
      })),
      ...apps.map((name) => ({
        target: idIn('Microsoft.Web/sites', name),
        group: 'sites',
        zone: zone('azurewebsites.net'),
      })),
    ];
    expect(endpoints.map(({ target, group, zone: found }) => ({ target, group, zone: found }))).toEqual(wanted);
  });

  it('creates each zone that an endpoint uses, and links it to the network', () => {
    const zones = names(resources, 'Microsoft.Network/privateDnsZones');
    const used = new Set(endpoints.map(({ zone }) => zone));
    expect(new Set(zones.map((name) => idIn('Microsoft.Network/privateDnsZones', name)))).toEqual(used);
    const links = ofType(resources, 'Microsoft.Network/privateDnsZones/virtualNetworkLinks');
    expect(links.map(({ name }) => name.split('/')[0])).toEqual(zones);
    const [network = ''] = names(resources, 'Microsoft.Network/virtualNetworks');
    expect(links.map(({ properties }) => properties.virtualNetwork)).toEqual(
      zones.map(() => ({ id: idOf('Microsoft.Network/virtualNetworks', network) })),
    );
  });

  it('gives each app its own /27, delegated to Flex Consumption, and the endpoints a separate subnet', () => {
    const subnets = subnetsOf(resources);
    const [forEndpoints, ...forApps] = subnets;
    expect(forEndpoints?.properties.delegations).toBeUndefined();
    expect(forApps.map(({ properties }) => properties.delegations?.map((one) => one.properties.serviceName))).toEqual(
      pools.map(() => ['Microsoft.App/environments']),
    );
    expect(forApps.map(({ properties }) => properties.addressPrefix.split('/')[1])).toEqual(pools.map(() => '27'));
    expect(new Set(addressesOf(resources)).size).toBe(subnets.length);
    // Flex Consumption does not support underscores in the names of subnets.
    expect(subnets.filter(({ name }) => name.includes('_'))).toEqual([]);

    const [network = ''] = names(resources, 'Microsoft.Network/virtualNetworks');
    const subnetId = (subnet = ''): string => idIn('Microsoft.Network/virtualNetworks/subnets', network, subnet);
    expect(property(resources, 'Microsoft.Web/sites', 'virtualNetworkSubnetId')).toEqual(
      forApps.map(({ name }) => subnetId(name)),
    );
    expect(new Set(endpoints.map(({ subnet }) => subnet))).toEqual(new Set([subnetId(forEndpoints?.name)]));
  });

  it('selects Service Bus Premium, the only tier with private endpoints', () => {
    const [bus] = ofType(resources, 'Microsoft.ServiceBus/namespaces');
    expect(bus?.body.sku).toEqual({ name: 'Premium', tier: 'Premium', capacity: 1 });
  });
});

describe('resources that Azure cannot change concurrently', () => {
  it.each([
    ['endpoints of one subnet', 'infra/modules/private-endpoints.bicep', 'privateEndpoints'],
    ['endpoints of one subnet', 'infra/main.bicep', 'appEndpoints'],
    ['subscriptions of one topic', 'infra/modules/service-bus.bicep', 'subscriptions'],
    ['rules of one topic', 'infra/modules/service-bus.bicep', 'rules'],
  ])('are deployed one by one: %s (%s)', (_, file, name) => {
    const decorators = declaration(file, name).decorators.map((one) => `${one.name} ${plainValue(one.args[0])}`);
    expect(decorators).toEqual(['batchSize 1']);
  });
});

describe('privateNetworking', () => {
  it('allocates addresses from addressSpace without overlaps', () => {
    expect(addressesOf(deployedResources({ privateNetworking: true, addressSpace: '192.168.8.0/24' }))).toEqual([
      '192.168.8.0/26',
      '192.168.8.64/27',
      '192.168.8.96/27',
    ]);
  });

  it('keeps the addresses of existing subnets when a pool is added', () => {
    const [before, after] = [['default'], ['another', 'default']].map((pools) =>
      addressesOf(deployedResources({ privateNetworking: true, pools: pools.map(pool) })),
    );
    expect(after?.slice(0, 2)).toEqual(before);
  });

  it('refuses the Durable Task Scheduler, which would remain public', () => {
    expect(() => deployedResources({ privateNetworking: true, durableBackend: 'azureManaged' })).toThrow(
      /cannot be combined/,
    );
  });
});
