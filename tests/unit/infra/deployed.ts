/** Expands the deployment into its resources, for tests that count or check them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DeployedResource,
  type Expanded,
  expandTemplate,
  readParameterFile,
  type Value,
  type Verified,
} from 'bicep-check';
import { ROOT } from './bicep.ts';

const MAIN = 'infra/main.bicep';
const PARAMETERS = 'infra/main.bicepparam';

/** Parameters of the deployment, by name. */
export type Parameters = Readonly<Record<string, Value>>;

/** Reads infra/main.bicepparam in an environment, empty by default. */
export const parameterFile = (environment: Readonly<Record<string, string>> = {}) =>
  readParameterFile(PARAMETERS, { root: ROOT, environment });

/**
 * Expands the whole deployment of infra/main.bicep.
 * @param parameters Parameters that differ from the defaults. Parameters without a default have the values of
 * infra/main.bicepparam in an empty environment.
 */
export function deployment(parameters: Parameters = {}): Expanded {
  return expandTemplate(MAIN, { ...parameterFile().parameters, ...parameters }, { root: ROOT });
}

/**
 * Returns the resources that infra/main.bicep deploys.
 * @param parameters Parameters that differ from the defaults, for example `{ durableBackend: 'azureManaged' }`.
 */
export const deployedResources = (parameters: Parameters = {}): DeployedResource[] => deployment(parameters).resources;

/** Returns the resources of a type, in any version. */
export const ofType = (resources: readonly DeployedResource[], type: string): DeployedResource[] =>
  resources.filter((one) => one.type === type);

/** Returns the app settings of each function app, by app name. */
export function appSettings(resources: readonly DeployedResource[]): Record<string, Record<string, string>> {
  const apps = ofType(resources, 'Microsoft.Web/sites').map(
    ({ name, properties }): [string, Record<string, string>] => {
      const { appSettings: settings } = properties.siteConfig as { appSettings: { name: string; value: string }[] };
      return [name, Object.fromEntries(settings.map((setting) => [setting.name, setting.value]))];
    },
  );
  return Object.fromEntries(apps);
}

/** The record of the properties that were checked against the official type definitions. */
export const RECORD_FILE = join(import.meta.dirname, 'verified-types.json');
export const readRecord = (): Verified => JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as Verified;
