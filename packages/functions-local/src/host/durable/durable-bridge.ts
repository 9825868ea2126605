import { WorkerLostError } from '../../durable/errors.ts';
import type { DurableBackend, DurableBackendOptions, DurableFunctionKind } from '../../durable/types.ts';
import type { RegisteredFunction } from '../app/registry.ts';
import { FunctionTimeoutError } from '../errors.ts';
import type { Invocation, Invoker } from '../invocation/invoker.ts';
import type { HostLog } from '../log/host-log.ts';
import type { RpcData } from '../worker-protocol.ts';

/** An orchestrator or activity of the app. */
export interface DurableFunction {
  fn: RegisteredFunction;
  triggerName: string;
  kind: DurableFunctionKind;
}

/** A task hub in a separate process, which several instances of the app share. */
export interface SharedHub {
  hubUrl: string;
  /** Name of this instance. */
  instance: string;
}

/** Options of the durable backend of an app. */
export interface DurableBridgeOptions extends Omit<DurableBackendOptions, 'invoke' | 'log'> {
  /** If absent, the backend runs in this process. */
  hub?: SharedHub;
  functions: readonly DurableFunction[];
  invoker: Invoker;
  log: HostLog;
  inputsOf(fn: RegisteredFunction): { name: string; data: RpcData }[];
}

/** Creates the durable backend for an app's orchestrators and activities. It is loaded only for an app that has any. */
export async function createDurableBridge(options: DurableBridgeOptions): Promise<DurableBackend> {
  const { functions, invoker, log, inputsOf, hub, ...given } = options;
  const byName = new Map(functions.map((entry) => [toKey(entry.kind, entry.fn.metadata.name), entry]));
  const backendOptions: DurableBackendOptions = {
    ...given,
    log: (level, message) => log.write(level, 'Host.Triggers.DurableTask', message),
    invoke: async ({ functionName, kind, input, instanceId }) => {
      const entry = byName.get(toKey(kind, functionName));
      if (!entry) throw new Error(`The function '${functionName}' does not exist, is disabled, or is not an ${kind}.`);
      const invocation: Invocation = {
        fn: entry.fn,
        inputs: [{ name: entry.triggerName, data: { string: input } }, ...inputsOf(entry.fn)],
        triggerMetadata: { instanceId: { string: instanceId } },
        reason: '(null)',
      };
      const response = await invoker.invoke(invocation).catch((error: unknown) => {
        // The extension reports the time-out of an activity to its orchestration, but runs an orchestrator again.
        if (kind === 'orchestrator' && error instanceof FunctionTimeoutError) throw new WorkerLostError(error.message);
        throw error;
      });
      return response.returnValue ?? undefined;
    },
  };
  const backend = await createBackend(backendOptions, hub);
  for (const { fn, kind } of functions) backend.register(fn.metadata.name, kind);
  return backend;
}

async function createBackend(options: DurableBackendOptions, hub: SharedHub | undefined): Promise<DurableBackend> {
  if (!hub) return (await import('../../durable/index.ts')).createDurableBackend(options);
  return (await import('../../durable/hub/remote-backend.ts')).createRemoteBackend({ ...options, ...hub });
}

function toKey(kind: DurableFunctionKind, name: string): string {
  return `${kind}:${name.toLowerCase()}`;
}
