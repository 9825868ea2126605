/** What a check is, and how its findings over several parts of a deployment become one. */
import type { App, Deployment } from './deployment.ts';
import type { Result } from './report.ts';
import type { Tools } from './tools.ts';

/** What a check knows of the deployment, and of what infra/ and host.json ask for. */
export interface Context {
  tools: Tools;
  deployment: Deployment;
  /** A client's key; undefined: checks that need one are not run. */
  key: string | undefined;
  /** Files to submit, by workload. */
  batches: Readonly<Record<string, string>>;
  /** Pool of each workload of this checkout. */
  poolsOfWorkloads: Readonly<Record<string, string>>;
  /** infra/pools.json */
  pools: readonly { name: string; memory: number; maximumInstanceCount: number }[];
  /** host.json: partitions of the durable hub. */
  partitionCount: number;
}

/** What a check has found, and what shows it. */
export interface Finding {
  result: Result;
  evidence: string;
}

/** One question about a deployment. */
export interface Check {
  /** Lower-case words; also the anchor in the report. */
  id: string;
  about: string;
  expects: string;
  run: (context: Context) => Promise<Finding>;
}

/** The finding of a check that could not be made; `evidence` says why. */
export const notRun = (evidence: string): Finding => ({ result: 'not run', evidence });
/** The finding of a check that was made. */
export const passIf = (holds: boolean, evidence: string): Finding => ({ result: holds ? 'pass' : 'fail', evidence });

/** What one part of the deployment shows. `holds` undefined: it could not be seen. */
export interface Seen {
  holds: boolean | undefined;
  text: string;
}

/** A finding over several parts: it fails with one of them, and is not run while one could not be seen. */
export function findingOf(seen: readonly Seen[], none = 'There is none.'): Finding {
  if (seen.length === 0) return notRun(none);
  const evidence = seen.map(({ text }) => text).join('\n');
  if (seen.some(({ holds }) => holds === false)) return { result: 'fail', evidence };
  return seen.every(({ holds }) => holds) ? { result: 'pass', evidence } : notRun(evidence);
}

/** Looks at the parts one after the other. */
export async function eachOf<T>(parts: readonly T[], look: (part: T) => Promise<Seen>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const part of parts) seen.push(await look(part));
  return seen;
}

/** Looks at each app of the deployment. */
export const eachApp = async ({ deployment }: Context, look: (app: App) => Promise<Seen>): Promise<Finding> =>
  findingOf(await eachOf(deployment.apps, look));

/** A value as a finding shows it. */
export const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
