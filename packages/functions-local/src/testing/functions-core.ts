import Module from 'node:module';
import type { RpcValue } from '../durable/types.ts';

interface Binding {
  type: string;
  direction: string;
}

interface Metadata {
  name: string;
  bindings: Record<string, Binding>;
}

interface InvocationModel {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>;
  invokeFunction(context: unknown, inputs: unknown[], callback: unknown): Promise<unknown>;
  getResponse(context: unknown, result: unknown): Promise<{ returnValue?: RpcValue }>;
}

interface ProgrammingModel {
  getInvocationModel(context: unknown): InvocationModel;
}

/** A function that the app under test has registered. */
export interface RegisteredFunction {
  metadata: Metadata;
  callback: unknown;
  triggerType: string;
}

/** All functions that are registered in this process. */
export const registeredFunctions: RegisteredFunction[] = [];

let programmingModel: ProgrammingModel | undefined;

class Disposable {
  dispose(): void {}
}

const core = {
  version: 'test',
  hostVersion: '4.0.0',
  Disposable,
  setProgrammingModel: (model: ProgrammingModel) => {
    programmingModel = model;
  },
  getProgrammingModel: () => programmingModel,
  registerFunction: (metadata: Metadata, callback: unknown) => {
    const trigger = Object.values(metadata.bindings).find((binding) => binding.type.toLowerCase().endsWith('trigger'));
    registeredFunctions.push({ metadata, callback, triggerType: trigger?.type ?? '' });
    return new Disposable();
  },
  registerHook: () => new Disposable(),
  log: () => undefined,
};

type Load = (request: string, ...rest: unknown[]) => unknown;
const loader = Module as unknown as { _load: Load };
const load = loader._load;
// The library requires this module lazily and only with CommonJS. Therefore it is enough to patch one function.
loader._load = (request, ...rest) => (request === '@azure/functions-core' ? core : load.call(Module, request, ...rest));

/** Runs a registered function as a worker would. `binding` is the value of its durableClient input. */
export async function invokeRegistered(
  found: RegisteredFunction,
  input: string,
  binding: string,
): Promise<{ result: unknown; returnValue: RpcValue | undefined }> {
  if (!programmingModel) throw new Error('Expected a programming model, got none: import @azure/functions first');
  const inputData = Object.entries(found.metadata.bindings)
    .filter(([, { direction }]) => direction === 'in')
    .map(([name, { type }]) => ({ name, data: { string: type === 'durableClient' ? binding : input } }));
  const model = programmingModel.getInvocationModel({
    invocationId: 'test',
    metadata: found.metadata,
    request: { inputData, triggerMetadata: {} },
    log: () => undefined,
  });
  const { context, inputs } = await model.getArguments();
  const result = await model.invokeFunction(context, inputs, found.callback);
  if (found.triggerType === 'testTrigger') return { result, returnValue: undefined };
  return { result, returnValue: (await model.getResponse(context, result)).returnValue };
}
