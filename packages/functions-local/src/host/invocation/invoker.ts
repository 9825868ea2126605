import { randomBytes, randomUUID } from 'node:crypto';
import type { RegisteredFunction, Registry } from '../app/registry.ts';
import { toError } from '../errors.ts';
import type { HostLog } from '../log/host-log.ts';
import type {
  CoreInvocationContext,
  RetryContext,
  RpcData,
  RpcInvocationResponse,
  TraceContext,
} from '../worker-protocol.ts';
import { createInvocationLog, type LogScope } from './invocation-log.ts';
import { runModel } from './run-model.ts';
import type { TimeLimit } from './time-limit.ts';
import { withDeadline } from './with-deadline.ts';

/** One call of a function. */
export interface Invocation {
  fn: RegisteredFunction;
  /** Values of the input bindings, the trigger first. */
  inputs: { name: string; data: RpcData }[];
  triggerMetadata?: Record<string, RpcData>;
  /** Shown in the log as `Reason='..'`. */
  reason: string;
  /** Shown in the log as `Trigger Details: ..`. */
  details?: string;
  /** A GUID. Defaults to a random one. */
  invocationId?: string;
  retryContext?: RetryContext;
  traceContext?: Partial<TraceContext>;
  onResult?: (result: unknown) => unknown;
}

/** Runs functions and tracks the running invocations. */
export interface Invoker {
  /** Rejects with the function's error, or with FunctionTimeoutError. */
  invoke(invocation: Invocation): Promise<RpcInvocationResponse>;
  /** Resolves when no invocation is running, or after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** Creates the invoker. */
export function createInvoker(registry: Registry, log: HostLog, limit: TimeLimit): Invoker {
  const running = new Set<Promise<unknown>>();
  const invoke = (invocation: Invocation) => {
    const work = runLogged({ registry, log, limit }, invocation);
    const settled: Promise<unknown> = work.then(
      () => running.delete(settled),
      () => running.delete(settled),
    );
    running.add(settled);
    return work;
  };
  const drain = async (graceMs: number) => {
    // A running invocation can start another one (an orchestration starts its activity). Therefore this is a loop.
    const idle = (async () => {
      while (running.size > 0) await Promise.all(running);
    })();
    await withDeadline(idle, graceMs, () => undefined);
  };
  return { invoke, drain };
}

interface RunOptions {
  registry: Registry;
  log: HostLog;
  limit: TimeLimit;
}

async function runLogged(options: RunOptions, invocation: Invocation): Promise<RpcInvocationResponse> {
  const { log } = options;
  const { name } = invocation.fn.metadata;
  const invocationId = invocation.invocationId ?? randomUUID();
  const category = `Function.${name}`;
  const startedAt = performance.now();
  const ended = (result: string) =>
    `Executed 'Functions.${name}' (${result}, Id=${invocationId}, Duration=${Math.round(performance.now() - startedAt)}ms)`;
  log.write(
    'information',
    category,
    `Executing 'Functions.${name}' (Reason='${invocation.reason}', Id=${invocationId})`,
  );
  if (invocation.details) log.write('information', category, `Trigger Details: ${invocation.details}`);
  try {
    const response = await options.limit.apply(() => run(options, { ...invocation, invocationId }), {
      name,
      invocationId,
    });
    log.write('information', category, ended('Succeeded'));
    return response;
  } catch (error: unknown) {
    log.write('error', category, `${ended('Failed')}\n${toError(error).stack ?? toError(error).message}`);
    throw error;
  }
}

type IdentifiedInvocation = Invocation & { invocationId: string };

function run({ registry, log }: RunOptions, invocation: IdentifiedInvocation) {
  const { fn, onResult } = invocation;
  const scope: LogScope = { functionName: fn.metadata.name, hookData: {}, invocationContext: undefined };
  const core = createCoreContext(invocation, createInvocationLog(registry, log, scope));
  return runModel({ registry, core, callback: fn.callback, scope, ...(onResult ? { onResult } : {}) });
}

function createCoreContext(invocation: IdentifiedInvocation, log: CoreInvocationContext['log']): CoreInvocationContext {
  const { fn, invocationId, inputs, triggerMetadata, retryContext, traceContext } = invocation;
  return {
    invocationId,
    metadata: fn.metadata,
    state: undefined,
    log,
    request: {
      invocationId,
      functionId: fn.id,
      inputData: inputs,
      triggerMetadata: triggerMetadata ?? {},
      traceContext: { traceParent: newTraceParent(), traceState: '', attributes: {}, ...traceContext },
      ...(retryContext ? { retryContext } : {}),
    },
  };
}

function newTraceParent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;
}
