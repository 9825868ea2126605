import type { Check, Context, Finding } from './check.ts';
import { CHECKS } from './checks.ts';
import { readDeployment } from './deployment.ts';
import type { Run, Step } from './report.ts';
import { createTools, type Machine } from './tools.ts';

export interface RunOptions extends Omit<Context, 'tools' | 'deployment'> {
  group: string;
  /** The app that receives requests. */
  app: string;
  subscription: string | undefined;
  /** Ids of the checks to run; all if undefined. */
  only: readonly string[] | undefined;
  version: string;
  /** Called before each check. */
  onStep: (id: string, about: string) => void;
}

/**
 * Runs the checks one by one. A check that throws counts as not run, with the reason, because it has no result.
 * @throws Error if the deployment cannot be read.
 */
export async function runChecks(machine: Machine, options: RunOptions): Promise<Run> {
  const { group, app, subscription, only, version, onStep, ...rest } = options;
  const startedAt = machine.now().toISOString();
  const deployment = await readDeployment(createTools(machine, subscription), { group, app });
  const steps: Step[] = [];
  for (const check of CHECKS.filter(({ id }) => only === undefined || only.includes(id))) {
    const { id, about, expects } = check;
    onStep(id, about);
    const tools = createTools(machine, subscription);
    const { result, evidence } = await findingOf(check, { ...rest, deployment, tools });
    steps.push({ id, about, expects, commands: tools.commands, result, evidence });
  }
  return { group, app, startedAt, version, steps };
}

async function findingOf(check: Check, context: Context): Promise<Finding> {
  try {
    return await check.run(context);
  } catch (error) {
    return {
      result: 'not run',
      evidence: `The check could not run: ${error instanceof Error ? error.message : error}`,
    };
  }
}
