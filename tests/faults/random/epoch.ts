/** Some hundred runs on one stack, and the checks after all of them have ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isLimited } from '../app/items.ts';
import { createRateCheck } from './checks/rates.ts';
import { checkAgain, missedWakes, waitForRest } from './checks/rest.ts';
import type { RunEnd, Score } from './checks/score.ts';
import { createTimeLimitCheck } from './checks/time-limit.ts';
import { createInflict } from './inflict.ts';
import type { StackFault, StackPlan } from './plan.ts';
import { openRelay } from './relay.ts';
import { carryOut } from './run.ts';
import { type FaultStack, startFaultStack } from './stack.ts';
import { type ActiveRun, createTraffic, type Traffic } from './traffic.ts';

export interface EpochOptions extends StackPlan {
  appFolder: string;
  folder: string;
  items: number;
  quick: boolean;
  /** Concurrent runs. */
  slots: number;
  /** The next seed, or undefined if there are no more. */
  nextSeed: () => number | undefined;
  score: Score;
  onEnd: (run: RunEnd) => void;
}

const SWEEP_MS = 8_000;
const QUICK_SWEEP_MS = 2_000;

/** Runs until there are no more seeds, then waits until the stack is at rest, and checks it. */
export async function runEpoch(options: EpochOptions): Promise<void> {
  const { appFolder, folder, score, slots, clockOffsetsMs } = options;
  let stack: FaultStack | undefined;
  const timeLimit = createTimeLimitCheck(score);
  const harm = (run: ActiveRun, fault: StackFault): void => {
    timeLimit.planned(fault);
    if (stack) void inflict(stack, run, fault).catch((error: unknown) => score.problem(`${fault.kind}: ${error}`));
  };
  const traffic = createTraffic(score, harm);
  const onTimeout = (): void => {
    timeLimit.ended();
    for (const run of traffic.all()) run.faultedAt = Date.now();
  };
  stack = await startFaultStack({ appFolder, folder, intercept: traffic.intercept, clockOffsetsMs, onTimeout });
  void stack.failed.then(score.problem);
  let relay = openRelay(stack.serviceBus, traffic, score);
  const inflict = createInflict(traffic, score, async () => {
    await relay.close();
    if (stack) relay = openRelay(stack.serviceBus, traffic, score);
  });
  const ends: RunEnd[] = [];
  const onEnd = (run: RunEnd): void => {
    ends.push(run);
    options.onEnd(run);
  };
  const sweeping = startSweeping(stack, options.quick ? QUICK_SWEEP_MS : SWEEP_MS);
  try {
    await Promise.all(
      Array.from({ length: slots }, (_, index) =>
        useSlot(stack as FaultStack, traffic, `slot${index}`, { ...options, onEnd }),
      ),
    );
    await waitForRest(stack, slots, score, (queue) => relay.wake(queue));
    await checkAgain(stack, ends, score);
    score.missed(await missedWakes(stack));
  } finally {
    sweeping.stop();
    await relay.close();
    await stack.stop();
  }
}

async function useSlot(stack: FaultStack, traffic: Traffic, slot: string, options: EpochOptions): Promise<void> {
  const { items, quick, nextSeed, score, onEnd } = options;
  const checkRate = isLimited(slot) ? createRateCheck() : () => ({ share: 0, wrong: [] });
  for (let seed = nextSeed(); seed !== undefined; seed = nextSeed()) {
    try {
      const end = await carryOut(stack, traffic, { seed, slot, items, quick, checkRate });
      score.end(end);
      onEnd(end);
    } catch (error) {
      score.problem(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
    }
  }
}

function startSweeping(stack: FaultStack, everyMs: number): { stop: () => void } {
  let going = true;
  const sweep = async (): Promise<void> => {
    while (going) {
      await sleep(everyMs);
      await stack.api.sweep();
    }
  };
  void sweep();
  return {
    stop: () => {
      going = false;
    },
  };
}
