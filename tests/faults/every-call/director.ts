/** Counts every call of the app to storage, topic and durable task hub, and makes one of them fail. */

import { carryOut, type Intercept, type StorageFault } from 'functions-local';
import type { Fault } from 'functions-local/service-bus';
import type { DurableFault } from '../harness/durable-faults.ts';

/**
 * How the call fails. `before`: without effect, and every repeat fails, too; `after`: with its effect, but the app
 * receives an error; `repeated`: with its effect, but the answer is cut off, so that the SDK repeats the call; `exit`:
 * with its effect, but the process ends before it receives the answer.
 */
export const FAULT_MODES = ['before', 'after', 'repeated', 'exit'] as const;
export type FaultMode = (typeof FAULT_MODES)[number];

/** The fault of a storage call. For `exit`, the process ends before its connection is cut. */
const STORAGE_FAULTS: Record<FaultMode, StorageFault> = {
  before: { kind: 'refused' },
  after: { kind: 'refused', effect: true },
  repeated: { kind: 'lostReply' },
  exit: { kind: 'lostReply' },
};

/** The `k`-th call, from 1 (0 means none), or the first one that matches `call`; and how it fails. */
export interface CallFault {
  k: number | { call: RegExp };
  mode: FaultMode;
}

export interface Director {
  storage: Intercept;
  broker: Fault;
  durable: DurableFault;
  /** Counts from the next call on, and makes the planned one fail. */
  arm(plan?: CallFault): void;
  /** The calls since `arm`, as text. */
  readonly calls: readonly string[];
  /** The call that failed. */
  readonly failed: string | undefined;
}

/** `kill` ends the app's process immediately. */
export function createDirector(kill: () => void): Director {
  let plan: CallFault | undefined;
  let calls: string[] = [];
  let failed: string | undefined;
  let due: { name: string; mode: FaultMode } | undefined;

  /** The failure of this call, if it is the planned one; returned once. */
  const count = (name: string): FaultMode | undefined => {
    calls.push(name);
    if (plan === undefined || failed !== undefined || !isMeant(plan, name)) return undefined;
    failed = name;
    return plan.mode;
  };
  const isMeant = ({ k }: CallFault, name: string): boolean =>
    typeof k === 'number' ? k === calls.length : k.call.test(name);
  /** Broker and task hub ask twice per change: a failure after the effect is the second question. */
  const ask = (name: string, phase: 'before' | 'after'): FaultMode | undefined => {
    if (phase === 'before') {
      const mode = count(name);
      if (mode === 'before') return mode;
      if (mode !== undefined) due = { name, mode };
      return undefined;
    }
    const mode = due?.name === name ? due.mode : undefined;
    if (mode !== undefined) due = undefined;
    return mode;
  };
  return {
    storage: async (call, forward) => {
      const mode = count(`${call.service} ${call.method} ${call.path}`);
      if (mode === undefined) return forward();
      const outcome = await carryOut(STORAGE_FAULTS[mode], call, forward);
      if (mode === 'exit') kill();
      return outcome;
    },
    broker: (operation, phase) => {
      const mode = ask(`broker ${operation}`, phase);
      if (mode === 'exit') kill();
      else if (mode !== undefined) throw new Error(`injected ${mode}`);
    },
    durable: async (operation, phase) => {
      const mode = ask(`durable ${operation}`, phase);
      if (mode === 'exit') kill();
      return mode === undefined;
    },
    arm: (next) => {
      plan = next;
      calls = [];
      failed = undefined;
      due = undefined;
    },
    get calls() {
      return calls;
    },
    get failed() {
      return failed;
    },
  };
}
