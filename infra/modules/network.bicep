// The private side of a deployment: a virtual network for the apps' outbound calls and for private endpoints, and the DNS
// zones that lead to these. docs/deploy.md, "Private networking", has the plan of the addresses.

@description('Suffix of all names: environment and unique token.')
param suffix string

@description('Region of the virtual network; an app can only join one of its own region.')
param location string

@description('Tags of the resources.')
param tags object

@description('Addresses of the virtual network in CIDR notation.')
param addressSpace string

@description('Number of subnets for apps, one per pool.')
param appSubnets int

var endpointSubnet = 'snet-endpoints'

// In the order of `zoneIds` below. The storage zones differ between clouds, the two others are those of the public cloud.
var zoneNames = [
  'privatelink.blob.${environment().suffixes.storage}'
  'privatelink.queue.${environment().suffixes.storage}'
  'privatelink.table.${environment().suffixes.storage}'
  'privatelink.servicebus.windows.net'
  'privatelink.azurewebsites.net'
]

resource network 'Microsoft.Network/virtualNetworks@2024-07-01' = {
  name: 'vnet-${suffix}'
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressSpace] }
    // Written here and not as resources of their own: a deployment replaces the list, so that two writers would undo each other.
    subnets: concat(
      [
        {
          name: endpointSubnet
          properties: {
            // 59 addresses: seven endpoints and one for each pool.
            addressPrefix: cidrSubnet(addressSpace, 26, 0)
            privateEndpointNetworkPolicies: 'Disabled'
            // Endpoints only receive. A default way out would be for machines that somebody puts here.
            defaultOutboundAccess: false
          }
        }
      ],
      // A /27 is the size that Microsoft recommends for one app (27 gateways, up to 1,000 instances); apps that share one share
      // its throughput. By number, not by pool, so that a new pool never changes the addresses of a subnet in use.
      map(range(0, appSubnets), index => {
        name: 'snet-app-${index}'
        properties: {
          addressPrefix: cidrSubnet(addressSpace, 27, index + 2)
          delegations: [{ name: 'flex-consumption', properties: { serviceName: 'Microsoft.App/environments' } }]
        }
      })
    )
  }
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for name in zoneNames: {
    name: name
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (name, index) in zoneNames: {
    parent: zones[index]
    name: 'link-${suffix}'
    location: 'global'
    tags: tags
    properties: {
      virtualNetwork: { id: network.id }
      registrationEnabled: false
    }
  }
]

@description('Resource id of the subnet for private endpoints.')
output endpointSubnetId string = '${network.id}/subnets/${endpointSubnet}'

@description('Resource ids of the subnets for apps, in the order of the pools.')
output appSubnetIds string[] = [for index in range(0, appSubnets): '${network.id}/subnets/snet-app-${index}']

@description('Resource id of the DNS zone of each kind of endpoint, by the group id of the endpoint.')
output zoneIds { blob: string, queue: string, table: string, namespace: string, sites: string } = {
  blob: zones[0].id
  queue: zones[1].id
  table: zones[2].id
  namespace: zones[3].id
  sites: zones[4].id
}
