// Values come from the environment: azd sets the first two, a person or a pipeline exports the rest (docs/deploy.md).
using './main.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME', 'sluice')
param location = readEnvironmentVariable('AZURE_LOCATION', 'northeurope')
param nodeVersion = readEnvironmentVariable('SLUICE_NODE_VERSION', '24')
param durableBackend = readEnvironmentVariable('SLUICE_DURABLE_BACKEND', 'AzureStorage')
param storageSku = readEnvironmentVariable('SLUICE_STORAGE_SKU', 'Standard_LRS')
param dailyLogQuotaGb = readEnvironmentVariable('SLUICE_DAILY_LOG_QUOTA_GB', '1')
param alertRules = bool(readEnvironmentVariable('SLUICE_ALERT_RULES', 'true'))
param alertEmail = readEnvironmentVariable('SLUICE_ALERT_EMAIL', '')
param operatorPrincipalId = readEnvironmentVariable('SLUICE_OPERATOR_PRINCIPAL_ID', '')
param operatorPrincipalType = readEnvironmentVariable('SLUICE_OPERATOR_PRINCIPAL_TYPE', 'User')
