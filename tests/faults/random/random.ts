/**
 * Random runs, some hundred per stack, because Azurite saves all its metadata every few seconds and becomes slower as
 * it grows.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAppCopy, type Mutation } from '../../helpers/app-copy.ts';
import { FAULT_APP } from '../harness/fault-app.ts';
import { createScore, type RunEnd, type Score } from './checks/score.ts';
import { runEpoch } from './epoch.ts';
import { stackPlanOf } from './plan.ts';

export interface RandomOptions {
  /** Folder below `.sluice/` for the app copy. */
  name: string;
  /** For data and logs. */
  folder: string;
  runs: number;
  /** Seed of the first run; the seeds of the others follow it. */
  seed: number;
  /** No run begins later than this after the first one. */
  minutes: number;
  slots: number;
  items: number;
  quick: boolean;
  onProgress?: (line: string) => void;
}

const RUNS_PER_STACK = 200;
/** Fewer, so that more numbers of instances occur. Without held drains, the wait at the end of a stack is short. */
const QUICK_RUNS_PER_STACK = 50;
/** Longer than the interval of an instance's signs of life, shorter than most freezes that exceed it on purpose. */
const VISIBILITY_SECONDS = 10;

/**
 * Scaled, so that it occurs: at least the time limit of an item (TIMEOUT_SECONDS), the time that an invocation keeps for
 * its end, and ten seconds for the begin of items.
 */
const FUNCTION_SECONDS = 40;
const SCALED: readonly Mutation[] = [
  { from: 'const END_SECONDS = 30;', to: 'const END_SECONDS = 5;' },
  { from: 'const BEGIN_SECONDS = 10;', to: 'const BEGIN_SECONDS = 5;' },
  { from: 'const ABANDON_SECONDS = 10;', to: 'const ABANDON_SECONDS = 3;' },
];

/** In a quick run, the sweep waits seconds instead of minutes; its early actions must do no harm. */
const IMPATIENT: Mutation = {
  from: 'const MINUTE = 60_000;',
  to: 'const MINUTE = 5_000;',
};

/** Executes the runs and returns their score. */
export async function runRandom(options: RandomOptions): Promise<Score> {
  const { name, folder, runs, seed, minutes, slots, items, quick, onProgress = () => {} } = options;
  const mutations = quick ? [...SCALED, IMPATIENT] : SCALED;
  const appFolder = await buildAppCopy({
    ...FAULT_APP,
    name,
    activities: slots,
    visibilitySeconds: VISIBILITY_SECONDS,
    functionSeconds: FUNCTION_SECONDS,
    mutations,
  });
  const score = createScore((text) => onProgress(`${new Date().toISOString()} BAD ${text}`));
  // A machine may take minutes for its first stack; they do not count as time of the runs.
  let end = Number.POSITIVE_INFINITY;
  let begun = 0;
  for (let epoch = 0; begun < runs && Date.now() < end; epoch += 1) {
    const last = Math.min(runs, begun + (quick ? QUICK_RUNS_PER_STACK : RUNS_PER_STACK));
    const nextSeed = (): number | undefined => {
      if (begun === 0) end = Date.now() + minutes * 60_000;
      return begun < last && Date.now() < end ? seed + begun++ : undefined;
    };
    const plan = stackPlanOf(seed + begun);
    const offsets = plan.clockOffsetsMs.map((ms) => `${ms / 1000} s`).join(', ');
    onProgress(
      `${new Date().toISOString()} ${plan.clockOffsetsMs.length} instances, whose clocks are off by ${offsets}`,
    );
    const wasClean = score.isClean;
    const data = join(folder, `stack-${epoch}`);
    await runEpoch({
      ...{ appFolder, folder: data, items, quick, slots, nextSeed, score, ...plan },
      onEnd: (run) => onProgress(line(score, run)),
    });
    if (score.isClean || !wasClean) await rm(data, { recursive: true, force: true });
  }
  await rm(appFolder, { recursive: true, force: true });
  return score;
}

function line(score: Score, { seed, stuck, lost, doubled, wrong, seconds }: RunEnd): string {
  const bad = stuck || lost.length + doubled.length + wrong.length > 0;
  const verdict = bad ? `BAD ${JSON.stringify({ stuck, lost: lost.length, doubled: doubled.length, wrong })}` : 'good';
  return `${new Date().toISOString()} run ${score.runs} seed ${seed} ${seconds.toFixed(1)} s ${verdict}`;
}
