/** Storage calls of all runs through one proxy: whose call it is, and what its plan does to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Intercept, refusal, type StorageAnswer, type StorageCall } from '../../../local/storage/index.ts';
import { keyRowOf } from '../../../shared/batches/keys.ts';
import type { CallFault, RunPlan, StackFault } from './plan.ts';
import type { Score } from './score.ts';

/** A run under way. Its slot is the workload it uses; no other run uses that meanwhile. */
export interface ActiveRun {
  slot: string;
  key: string;
  plan: RunPlan;
  calls: number;
  puts: number;
  wakes: number;
  /** When a fault met it last, by the machine's clock; 0 = never. */
  faultedAt: number;
}

export interface Traffic {
  intercept: Intercept;
  begin(run: ActiveRun): void;
  end(run: ActiveRun): void;
  /** The run that uses a slot. */
  runOf(slot: string): ActiveRun | undefined;
  /** All runs under way: a fault that meets them all is noted in each. */
  all(): Iterable<ActiveRun>;
  /** Cuts every call off for `ms`. */
  cut(ms: number): void;
}

const SLOT = /\bslot\d+\b/;
const BATCH = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;
const KEY_ROW = /\b[0-9a-f]{64}\b/;
/** As much of a table call's body as names its rows. */
const BODY_CHARS = 4_000;

/** `onStackFault` is told when a run comes to the call at which its plan has one. */
export function createTraffic(score: Score, onStackFault: (run: ActiveRun, fault: StackFault) => void): Traffic {
  const bySlot = new Map<string, ActiveRun>();
  const byName = new Map<string, ActiveRun>();
  let cutUntil = 0;

  /** Names that belong to a run are learnt as they come: its key's row names its batch, before anything else does. */
  const ownerOf = (call: StorageCall): ActiveRun | undefined => {
    const text = call.service === 'table' ? call.path + call.body.toString('latin1', 0, BODY_CHARS) : call.path;
    const batch = BATCH.exec(text)?.[0] ?? '';
    const slot = SLOT.exec(text)?.[0] ?? '';
    const run = bySlot.get(slot) ?? byName.get(batch) ?? byName.get(KEY_ROW.exec(text)?.[0] ?? '');
    if (run && batch !== '') byName.set(batch, run);
    return run;
  };

  const repeat = (run: ActiveRun, forward: () => Promise<StorageAnswer>): void => {
    run.puts += 1;
    const ms = run.plan.repeats.get(run.puts);
    if (ms === undefined) return;
    score.fault('message put again');
    run.faultedAt = Date.now() + ms;
    // Storage may be away by then; the duplicate is an extra, nobody waits for it.
    setTimeout(() => void forward().catch(() => undefined), ms).unref();
  };

  return {
    intercept: async (call, forward) => {
      if (Date.now() < cutUntil) return 'reset';
      const run = ownerOf(call);
      if (run === undefined) return forward();
      run.calls += 1;
      const { calls, stack } = run.plan;
      if (stack?.at === run.calls) onStackFault(run, stack);
      if (isPut(call)) repeat(run, forward);
      const fault = calls.get(run.calls);
      if (!fault) return forward();
      score.fault(`${call.service} call ${fault.kind}`);
      run.faultedAt = Date.now();
      return inject(fault, forward);
    },
    begin: (run) => {
      bySlot.set(run.slot, run);
      byName.set(keyRowOf(run.slot, run.key), run);
    },
    end: (run) => {
      bySlot.delete(run.slot);
      for (const [name, other] of byName) if (other === run) byName.delete(name);
    },
    runOf: (slot) => bySlot.get(slot),
    all: () => bySlot.values(),
    cut: (ms) => {
      cutUntil = Date.now() + ms;
    },
  };
}

const isPut = ({ service, method, path }: StorageCall): boolean =>
  service === 'queue' && method === 'POST' && path.includes('/messages?');

async function inject(
  { kind, ms }: CallFault,
  forward: () => Promise<StorageAnswer>,
): Promise<StorageAnswer | 'reset'> {
  switch (kind) {
    case 'refused':
      return refusal();
    case 'reset':
      return 'reset';
    case 'busy':
      return { status: 503, headers: ['x-ms-error-code', 'ServerBusy', 'content-length', '0'], body: Buffer.alloc(0) };
    case 'lost':
      await forward();
      return 'reset';
    case 'slow':
      await sleep(ms);
      return forward();
    case 'late': {
      const answer = await forward();
      await sleep(ms);
      return answer;
    }
    default:
      return kind satisfies never;
  }
}
