/** The deployment as the resources that it would make, for tests that count or check them. */
import { readParameterFile } from './parameters.ts';
import { type DeployedResource, type Expanded, expandTemplate } from './template.ts';
import type { Value } from './values.ts';

export { readParameterFile } from './parameters.ts';
export { type DeployedResource, type Expanded, expandTemplate } from './template.ts';
export type { Value } from './values.ts';

const MAIN = 'infra/main.bicep';
const PARAMETERS = 'infra/main.bicepparam';

/** Parameters of the deployment, by name. */
export type Parameters = Readonly<Record<string, Value>>;

/**
 * The whole deployment of infra/main.bicep, expanded.
 * @param parameters What differs from the defaults; those without a default are those of infra/main.bicepparam in an empty
 * environment.
 */
export function deployment(parameters: Parameters = {}): Expanded {
  return expandTemplate(MAIN, { ...readParameterFile(PARAMETERS).parameters, ...parameters });
}

/**
 * The resources that infra/main.bicep deploys: with its defaults, or with other parameters.
 * @param parameters What differs from the defaults, for example `{ durableBackend: 'DurableTaskScheduler' }`.
 */
export const deployedResources = (parameters: Parameters = {}): DeployedResource[] => deployment(parameters).resources;

/** The resources of a type, whatever its version. */
export const ofType = (resources: readonly DeployedResource[], type: string): DeployedResource[] =>
  resources.filter((one) => one.type === type);

/** The app settings of each function app, by the name of the app. */
export function appSettings(resources: readonly DeployedResource[]): Record<string, Record<string, string>> {
  const apps = ofType(resources, 'Microsoft.Web/sites').map(
    ({ name, properties }): [string, Record<string, string>] => {
      const { appSettings: settings } = properties.siteConfig as { appSettings: { name: string; value: string }[] };
      return [name, Object.fromEntries(settings.map((setting) => [setting.name, setting.value]))];
    },
  );
  return Object.fromEntries(apps);
}
