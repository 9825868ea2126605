import type { DurableFunctionKind } from '../types.ts';
import type { Registration } from './protocol.ts';

const INSTANCE_NAME = /^[A-Za-z0-9-]{1,64}$/;
const KINDS: readonly DurableFunctionKind[] = ['orchestrator', 'activity'];

/** Checks the registration of an instance. Throws if a field is not valid. */
export function readRegistration(given: Registration): Registration {
  const { type, instance, config, baseUrl, systemKey, functions } = given;
  require(INSTANCE_NAME.test(String(instance)), 'instance', instance);
  require(typeof config === 'object' && config !== null, 'config', config);
  require(URL.canParse(String(baseUrl)), 'baseUrl', baseUrl);
  require(systemKey === undefined || typeof systemKey === 'string', 'systemKey', typeof systemKey);
  require(Array.isArray(functions) && functions.every(isFunction), 'functions', functions);
  return { type, instance, config, baseUrl, functions, ...(systemKey === undefined ? {} : { systemKey }) };
}

function isFunction({ name, kind }: Registration['functions'][number]): boolean {
  return typeof name === 'string' && KINDS.includes(kind);
}

function require(holds: boolean, field: string, got: unknown): void {
  if (!holds) throw new Error(`Registration of an instance: ${field} is not valid: ${JSON.stringify(got)}`);
}
