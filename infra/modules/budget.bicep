@description('Suffix of the name: environment and unique token.')
param suffix string

@description('Monthly budget of this resource group, in the currency of the billing account.')
param amount int

@description('First day of the month in which the budget was created (YYYY-MM-01). Azure refuses to change it afterwards.')
param startDate string

@description('Action groups to call, at least one.')
param actionGroupIds string[]

// No email addresses, because the action groups already send emails.
var receivers = { contactEmails: [], contactGroups: actionGroupIds }

resource budget 'Microsoft.Consumption/budgets@2023-11-01' = {
  name: 'budget-${suffix}'
  properties: {
    category: 'Cost'
    amount: amount
    timeGrain: 'Monthly'
    timePeriod: { startDate: '${startDate}T00:00:00Z' }
    notifications: {
      actual80: union(receivers, { enabled: true, operator: 'GreaterThan', threshold: 80, thresholdType: 'Actual' })
      forecast100: union(receivers, {
        enabled: true
        operator: 'GreaterThan'
        threshold: 100
        thresholdType: 'Forecasted'
      })
    }
  }
}
