import { toError, UnsupportedError } from '../errors.ts';
import type { RpcValue } from '../types.ts';
import type { Action, OrchestratorAnswer } from './actions.ts';

const outOfProcLabel = '\n\n$OutOfProcData$:';

interface RawState {
  isDone?: boolean;
  actions?: Action[][];
  output?: unknown;
  error?: string;
  customStatus?: unknown;
  failureDetails?: unknown;
}

/** Reads the result of an orchestrator function. Throws if it is not one of the library. */
export function readReturnedAnswer(value: RpcValue | undefined): OrchestratorAnswer {
  const text = value?.json ?? value?.string;
  if (text === undefined) throw new Error('The orchestrator function returned no state. Register it with df.app');
  return toAnswer(JSON.parse(text) as RawState);
}

/** Reads the error of an orchestrator function: the message contains the state and the failure of user code. */
export function readThrownAnswer(thrown: unknown): OrchestratorAnswer {
  const error = toError(thrown);
  const at = error.message.indexOf(outOfProcLabel);
  if (at < 0) throw error;
  const state = JSON.parse(error.message.slice(at + outOfProcLabel.length)) as RawState;
  if (!state.error) {
    throw new UnsupportedError(
      'The orchestrator threw an error without a message (an empty Error, or no Error at all). On Azure such an instance stays Running indefinitely; throw an Error with a message',
    );
  }
  const failure = { message: state.error, stack: error.stack ?? '', failureDetails: state.failureDetails };
  return { ...toAnswer(state), failure };
}

function toAnswer(state: RawState): OrchestratorAnswer {
  if (!Array.isArray(state.actions) || state.actions.length !== 1) {
    throw new Error(`Expected one list of actions, got ${JSON.stringify(state.actions)?.slice(0, 200)}`);
  }
  return {
    isDone: state.isDone === true,
    actions: state.actions[0] ?? [],
    output: state.output,
    customStatus: state.customStatus,
  };
}
