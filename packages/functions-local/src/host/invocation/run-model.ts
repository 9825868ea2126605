import { defineReadonly } from '../app/hook-context.ts';
import type { Registry } from '../app/registry.ts';
import type {
  CoreInvocationContext,
  FunctionCallback,
  InvocationModel,
  RpcInvocationResponse,
} from '../worker-protocol.ts';
import type { LogScope } from './invocation-log.ts';

/** Options of one run through the programming model. */
export interface ModelRun {
  registry: Registry;
  core: CoreInvocationContext;
  callback: FunctionCallback;
  scope: LogScope;
  /** Receives the handler's result before the library converts it to a response. */
  onResult?: (result: unknown) => unknown;
}

interface Outcome {
  inputs: unknown[];
  result: unknown;
  error: unknown;
}

/** Runs hooks and handler in the worker's order: arguments, pre hooks, handler, post hooks, response. */
export async function runModel(run: ModelRun): Promise<RpcInvocationResponse> {
  const model = await getModel(run);
  const { context, inputs } = await model.getArguments();
  run.scope.invocationContext = context;
  const common = {
    hookData: run.scope.hookData,
    appHookData: run.registry.appHookData,
    invocationContext: context,
  };
  const pre = await runPreHooks(run, common, inputs);
  const outcome = await callHandler(run, model, context, pre);
  await runPostHooks(run, common, outcome);
  if (outcome.error !== null && outcome.error !== undefined) throw outcome.error;
  return model.getResponse(context, run.onResult ? run.onResult(outcome.result) : outcome.result);
}

async function getModel({ registry, core }: ModelRun): Promise<InvocationModel> {
  if (!registry.model)
    throw new Error('Expected a programming model, got none: the app does not use @azure/functions 4.');
  return registry.model.getInvocationModel(core);
}

interface PreContext {
  inputs: unknown[];
  functionCallback: FunctionCallback;
}

async function runPreHooks(run: ModelRun, common: Record<string, unknown>, inputs: unknown[]): Promise<PreContext> {
  const context: PreContext = defineReadonly({ inputs, functionCallback: run.callback }, common);
  run.core.state = 'preInvocationHooks';
  try {
    for (const hook of run.registry.hooks.preInvocation) await hook(context);
  } finally {
    run.core.state = undefined;
  }
  return context;
}

async function callHandler(
  run: ModelRun,
  model: InvocationModel,
  context: object,
  { inputs, functionCallback }: PreContext,
): Promise<Outcome> {
  run.core.state = 'invocation';
  try {
    const result = await model.invokeFunction(context, inputs, functionCallback);
    return { inputs, result: result ?? null, error: null };
  } catch (error: unknown) {
    return { inputs, result: null, error: error ?? new Error('The function threw undefined or null.') };
  } finally {
    run.core.state = undefined;
  }
}

async function runPostHooks(run: ModelRun, common: Record<string, unknown>, outcome: Outcome): Promise<void> {
  defineReadonly(outcome, common);
  run.core.state = 'postInvocationHooks';
  try {
    for (const hook of run.registry.hooks.postInvocation) await hook(outcome);
  } finally {
    run.core.state = undefined;
  }
}
