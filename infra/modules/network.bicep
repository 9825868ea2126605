// The private side of a deployment: a virtual network for the apps' outbound calls and for private endpoints, and the DNS
// zones that lead to these. docs/deploy.md, "Private networking", has the plan of the addresses.

@description('Name of the virtual network.')
param name string

@description('Region of the virtual network; an app can only join one of its own region.')
param location string

@description('Tags of the resources.')
param tags object

@description('Addresses of the virtual network in CIDR notation.')
param addressSpace string

@description('Name of the subnet for private endpoints.')
param endpointSubnet string

@description('Names of the subnets for apps, one per pool.')
param appSubnets string[]

@description('Names of the DNS zones.')
param zoneNames string[]

@description('Suffix of all names: environment and unique token.')
param suffix string

resource network 'Microsoft.Network/virtualNetworks@2024-07-01' = {
  name: name
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
      // its throughput.
      map(appSubnets, (subnet, index) => {
        name: subnet
        properties: {
          addressPrefix: cidrSubnet(addressSpace, 27, index + 2)
          delegations: [{ name: 'flex-consumption', properties: { serviceName: 'Microsoft.App/environments' } }]
        }
      })
    )
  }
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for zone in zoneNames: {
    name: zone
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (zone, index) in zoneNames: {
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
