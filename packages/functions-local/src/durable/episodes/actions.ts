/** Action numbers of the library's out-of-process result. */
export const ActionType = {
  CallActivity: 0,
  CallActivityWithRetry: 1,
  CallSubOrchestrator: 2,
  CallSubOrchestratorWithRetry: 3,
  ContinueAsNew: 4,
  CreateTimer: 5,
  WaitForExternalEvent: 6,
  CallEntity: 7,
  CallHttp: 8,
  SignalEntity: 9,
  WhenAny: 11,
  WhenAll: 12,
  LockEntities: 13,
  ReleaseEntities: 14,
} as const;

/** Retry options as the library sends them. */
export interface RetryOptions {
  firstRetryIntervalInMilliseconds: number;
  maxNumberOfAttempts: number;
  backoffCoefficient?: number;
  maxRetryIntervalInMilliseconds?: number;
  retryTimeoutInMilliseconds?: number;
}

/** One entry of the action list. Its fields depend on `actionType`. */
export interface Action {
  actionType: number;
  functionName?: string;
  input?: unknown;
  instanceId?: string;
  version?: string;
  retryOptions?: RetryOptions;
  fireAt?: string;
  isCanceled?: boolean;
  externalEventName?: string;
  compoundActions?: Action[];
}

/** The result of an orchestrator function: the whole list of actions since the start of the execution. */
export interface OrchestratorAnswer {
  isDone: boolean;
  actions: Action[];
  output?: unknown;
  customStatus?: unknown;
  failure?: { message: string; stack: string; failureDetails?: unknown };
}
