import type {
  FunctionCallback,
  FunctionMetadata,
  HookCallback,
  HookName,
  ProgrammingModel,
} from '../worker-protocol.ts';

/** A function as the app registered it. */
export interface RegisteredFunction {
  id: string;
  metadata: FunctionMetadata;
  callback: FunctionCallback;
}

/** Everything that an app registers while it is loaded. */
export interface Registry {
  readonly functions: Map<string, RegisteredFunction>;
  readonly hooks: Record<HookName, HookCallback[]>;
  model: ProgrammingModel | undefined;
  /** True after the app has started. Then nothing more can be registered. */
  locked: boolean;
  /** Shared by the appStart and appTerminate hooks. */
  readonly appHookData: Record<string, unknown>;
  readonly startHookData: Record<string, unknown>;
}

/** Creates an empty registry. */
export function createRegistry(): Registry {
  return {
    functions: new Map(),
    hooks: { appStart: [], appTerminate: [], preInvocation: [], postInvocation: [], log: [] },
    model: undefined,
    locked: false,
    appHookData: {},
    startHookData: {},
  };
}
