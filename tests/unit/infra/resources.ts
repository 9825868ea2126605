import type { DeployedResource } from 'bicep-check';
import { ofType } from './deployed.ts';

/** Creates a pool as a parameter of the deployment. */
export const pool = (name: string) => ({ name, memory: 2048, maximumInstanceCount: 40, alwaysReady: [] });

/** Returns the names of the resources of a type. */
export const names = (resources: DeployedResource[], type: string): string[] =>
  ofType(resources, type).map(({ name }) => name);

/** Returns a property of each resource of a type. */
export const property = (resources: DeployedResource[], type: string, name: string): unknown[] =>
  ofType(resources, type).map(({ properties }) => properties[name]);
