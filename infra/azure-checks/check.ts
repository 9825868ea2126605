/** The types of checks, and the combination of findings over several parts of a deployment. */
import type { App, Deployment } from './deployment.ts';
import type { Result } from './report.ts';
import type { Tools } from './tools.ts';

/** The input of a check: the deployment, and the expectations of infra/ and host.json. */
export interface Context {
  tools: Tools;
  deployment: Deployment;
  /** Function key of a client system. If undefined, checks that need one are not run. */
  key: string | undefined;
  /** A function key that was used and then removed. If undefined, the check that needs it is not run. */
  removedKey: string | undefined;
  /** The files to submit, by workload. */
  batches: Readonly<Record<string, string>>;
  /** The pool of each workload of this checkout. */
  poolsOfWorkloads: Readonly<Record<string, string>>;
  /** The content of infra/pools.json. */
  pools: readonly { name: string; memory: number; maximumInstanceCount: number }[];
  /** Number of partitions of the task hub, from host.json. */
  partitionCount: number;
}

/** The result of a check, with its evidence. */
export interface Finding {
  result: Result;
  evidence: string;
}

/** One question about a deployment. */
export interface Check {
  /** Lower-case words; also the heading in the report. */
  id: string;
  about: string;
  expects: string;
  run: (context: Context) => Promise<Finding>;
}

/** Returns the finding of a check that could not run; `evidence` is the reason. */
export const notRun = (evidence: string): Finding => ({ result: 'not run', evidence });
/** Returns the finding of a check that ran. */
export const passIf = (holds: boolean, evidence: string): Finding => ({ result: holds ? 'pass' : 'fail', evidence });

/** The finding for one part of the deployment; `holds` is undefined if the check could not run. */
export interface Seen {
  holds: boolean | undefined;
  text: string;
}

/** Combines the findings of several parts: fails if one fails, and counts as not run if one could not run. */
export function findingOf(seen: readonly Seen[], none = 'There are none.'): Finding {
  if (seen.length === 0) return notRun(none);
  const evidence = seen.map(({ text }) => text).join('\n');
  if (seen.some(({ holds }) => holds === false)) return { result: 'fail', evidence };
  return seen.every(({ holds }) => holds) ? { result: 'pass', evidence } : notRun(evidence);
}

/** Inspects the parts one by one. */
export async function eachOf<T>(parts: readonly T[], inspect: (part: T) => Promise<Seen>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const part of parts) seen.push(await inspect(part));
  return seen;
}

/** Inspects each app of the deployment. */
export const eachApp = async ({ deployment }: Context, inspect: (app: App) => Promise<Seen>): Promise<Finding> =>
  findingOf(await eachOf(deployment.apps, inspect));

/** Formats a value for a finding. */
export const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
