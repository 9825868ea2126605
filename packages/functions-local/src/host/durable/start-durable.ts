import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readDurableConfig } from '../../durable/config.ts';
import { toHubName } from '../../durable/hub-name.ts';
import type { DurableBackend } from '../../durable/types.ts';
import type { RegisteredFunction } from '../app/registry.ts';
import { HostStartError, toError } from '../errors.ts';
import type { HostOptions } from '../host-options.ts';
import type { HostKeys } from '../http/keys.ts';
import type { Invoker } from '../invocation/invoker.ts';
import type { Wiring } from '../listeners.ts';
import type { HostLog } from '../log/host-log.ts';
import { findSetting, instanceId, resolveSettingsDeep } from '../settings/environment.ts';
import type { HostConfig } from '../settings/host-json.ts';
import type { RpcData } from '../worker-protocol.ts';
import { createDurableBridge } from './durable-bridge.ts';

/** Returns the values of a function's inputs other than its trigger. */
export interface Inputs {
  of(fn: RegisteredFunction): { name: string; data: RpcData }[];
  /** Set when the durable backend is created. No function runs before that. */
  durable: DurableBackend | undefined;
}

/** Creates the inputs. Only `durableClient` is supported. */
export function createInputs(): Inputs {
  const inputs: Inputs = {
    durable: undefined,
    of: ({ metadata }) => {
      const clients = Object.entries(metadata.bindings).filter(([, binding]) => isClient(binding.type));
      return clients.map(([name]) => ({ name, data: { string: inputs.durable?.clientBinding() ?? '{}' } }));
    },
  };
  return inputs;
}

function isClient(type: string): boolean {
  return type.toLowerCase() === 'durableclient';
}

/** Options of a durable start. */
export interface DurableStart {
  options: HostOptions;
  config: HostConfig;
  wiring: Wiring;
  invoker: Invoker;
  log: HostLog;
  inputs: Inputs;
  url: string;
  keys: HostKeys | undefined;
}

/** Starts the durable backend of an app that has durable bindings. Returns undefined for any other app. */
export async function startDurable(start: DurableStart): Promise<DurableBackend | undefined> {
  const { options, config, wiring, invoker, log, inputs, url, keys } = start;
  if (!hasDurableBindings(wiring)) return undefined;
  const backend = await createDurableBridge({
    file: join(options.stateDir, 'durable.sqlite'),
    ...options.durable,
    ...(options.taskHubUrl ? { hub: { hubUrl: options.taskHubUrl, instance: instanceId(process.env) } } : {}),
    config: readDurableSection(config),
    baseUrl: url,
    functions: wiring.durable,
    invoker,
    log,
    inputsOf: inputs.of,
    ...(keys?.system ? { systemKey: keys.system, masterKey: keys.master } : {}),
  });
  inputs.durable = backend;
  await backend.start();
  return backend;
}

/**
 * Returns `extensions.durableTask` of host.json with the default hub name and with resolved settings. Throws HostStartError
 * if the backend refuses it.
 */
export function readDurableSection({ durableTask }: HostConfig): Record<string, unknown> {
  const section = { hubName: defaultHubName(), ...resolveSettingsDeep(durableTask, process.env) };
  try {
    readDurableConfig(section, availableParallelism());
  } catch (error: unknown) {
    throw new HostStartError(toError(error).message, { cause: error });
  }
  return section;
}

// The extension uses the app's name on Azure. Locally, the variable is set only to change the default.
function defaultHubName(): string | undefined {
  const siteName = findSetting(process.env, 'WEBSITE_SITE_NAME');
  return siteName === undefined ? undefined : toHubName(siteName);
}

/** Whether a served function requires a task hub. */
export function hasDurableBindings(wiring: Wiring): boolean {
  const served = wiring.functions.filter((planned) => planned.state === 'served');
  const bindings = served.flatMap(({ fn }) => Object.values(fn.metadata.bindings));
  return wiring.durable.length > 0 || bindings.some((binding) => isClient(binding.type));
}
