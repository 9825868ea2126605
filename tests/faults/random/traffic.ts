/** The storage calls of all runs through one client of the front: assigns each call to its run, and so to its plan. */
import {
  carryOut,
  type Intercept,
  injectFaults,
  type StorageAnswer,
  type StorageCall,
  type StorageFault,
} from 'functions-local';
import { keyRowOf } from '../../../shared/batches/keys.ts';
import { createDeliveries, type Deliveries } from './checks/deliveries.ts';
import { createHalts, type Halts } from './checks/halts.ts';
import type { Score } from './checks/score.ts';
import type { RunPlan, StackFault } from './plan.ts';

/** A run in progress. Its slot is the workload it uses; no concurrent run uses the same one. */
export interface ActiveRun {
  slot: string;
  key: string;
  plan: RunPlan;
  calls: number;
  wakes: number;
  /** A fault in addition to those of its plan. */
  next?: StackFault | undefined;
  /** Time of its latest fault, by the machine's clock; 0 means none. */
  faultedAt: number;
}

export interface Traffic {
  intercept: Intercept;
  /** Of all batches since the start, including those of ended runs. */
  deliveries: Deliveries;
  halts: Halts;
  begin(run: ActiveRun): void;
  end(run: ActiveRun): void;
  /** The run that uses a slot. */
  runOf(slot: string): ActiveRun | undefined;
  /** All runs in progress; a fault that affects all of them is recorded in each. */
  all(): Iterable<ActiveRun>;
  /** Cuts every call off for `ms`. */
  cut(ms: number): void;
}

const SLOT = /\bslot\d+\b/;
const BATCH = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;
const KEY_ROW = /\b[0-9a-f]{64}\b/;
/** The beginning of a table call's body, which contains the names of its rows. */
const BODY_CHARS = 4_000;

/** `onStackFault` is called when a run reaches the call at which its plan has a fault of the stack. */
export function createTraffic(score: Score, onStackFault: (run: ActiveRun, fault: StackFault) => void): Traffic {
  const bySlot = new Map<string, ActiveRun>();
  const byName = new Map<string, ActiveRun>();
  const injections = new Map<ActiveRun, Intercept>();
  const deliveries = createDeliveries();
  const halts = createHalts();
  let cutUntil = 0;

  /**
   * Records a run's names when they first appear: the row of its key contains the name of its batch before any other
   * call does.
   */
  const ownerOf = async (call: StorageCall): Promise<ActiveRun | undefined> => {
    const rows = call.service === 'table' ? (await call.body()).toString('latin1', 0, BODY_CHARS) : '';
    const text = call.path + rows;
    const batch = BATCH.exec(text)?.[0] ?? '';
    const slot = SLOT.exec(text)?.[0] ?? '';
    const run = bySlot.get(slot) ?? byName.get(batch) ?? byName.get(KEY_ROW.exec(text)?.[0] ?? '');
    if (run && batch !== '') byName.set(batch, run);
    return run;
  };

  const injectionOf = (run: ActiveRun): Intercept =>
    injectFaults(run.plan.calls, (fault, { service }) => {
      score.fault(`${service} call ${nameOf(fault)}`);
      run.faultedAt = Date.now() + (fault.kind === 'doubled' ? fault.ms : 0);
    });

  return {
    deliveries,
    halts,
    intercept: async (call, pass) => {
      await halts.note(call);
      const forward = async (): Promise<StorageAnswer> => {
        const answer = await pass();
        deliveries.note(call, answer);
        return answer;
      };
      if (Date.now() < cutUntil) return carryOut({ kind: 'reset' }, call, forward);
      const run = await ownerOf(call);
      if (run === undefined) return forward();
      run.calls += 1;
      const { stack } = run.plan;
      for (const fault of [stack, run.next]) if (fault?.at === run.calls) onStackFault(run, fault);
      return injections.get(run)?.(call, forward) ?? forward();
    },
    begin: (run) => {
      bySlot.set(run.slot, run);
      injections.set(run, injectionOf(run));
      byName.set(keyRowOf(run.slot, run.key), run);
    },
    end: (run) => {
      bySlot.delete(run.slot);
      injections.delete(run);
      for (const [name, other] of byName) if (other === run) byName.delete(name);
    },
    runOf: (slot) => bySlot.get(slot),
    all: () => bySlot.values(),
    cut: (ms) => {
      cutUntil = Date.now() + ms;
    },
  };
}

const nameOf = (fault: StorageFault): string => (fault.kind === 'status' ? `status ${fault.status}` : fault.kind);
