import { FunctionRefusedError } from '../errors.ts';
import { type Environment, findSetting } from './environment.ts';

/** Alternative to a namespace on Azure. */
const EMBEDDED = " (with `functions-local start`, use 'UseDevelopmentEmulator=true' for the embedded Service Bus).";

/** Returns the connection string of a binding's `connection`. Throws if it is missing, and for the identity form. */
export function findConnectionString(name: string, env: Environment): string {
  const candidates = [
    `ConnectionStrings:AzureWebJobs${name}`,
    `AzureWebJobs${name}`,
    `ConnectionStrings:${name}`,
    name,
  ];
  const found = candidates.map((candidate) => findSetting(env, candidate)).find((value) => value !== undefined);
  if (found !== undefined) return found;
  const identity = candidates.find((candidate) => findSetting(env, `${candidate}__fullyQualifiedNamespace`));
  if (identity !== undefined) {
    throw new FunctionRefusedError(
      `connection '${name}' uses a managed identity (${identity}__fullyQualifiedNamespace); ` +
        `locally only a connection string in the setting '${name}' is supported${EMBEDDED}`,
    );
  }
  throw new FunctionRefusedError(
    `connection '${name}': no setting '${name}' or 'AzureWebJobs${name}' exists${EMBEDDED}`,
  );
}
