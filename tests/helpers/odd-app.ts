/** The app with workloads that misbehave on demand, for tests of the outcomes of their items. */
import { buildAppCopy } from './app-copy.ts';

export interface OddItem {
  n: number;
  do?: string;
  url?: string;
  ms?: number;
}

/**
 * Builds the copy. With different values of `name`, test files that run one after another do not share a folder. For
 * `functionSeconds`, see AppCopyOptions.
 */
export const buildOddApp = (
  name: string,
  { activities = 4, functionSeconds }: { activities?: number; functionSeconds?: number } = {},
): Promise<string> =>
  buildAppCopy({
    name,
    project: 'tests/integration/failures/tsconfig.json',
    registry: 'tests/integration/failures/app/registry.ts',
    activities,
    ...(functionSeconds === undefined ? {} : { functionSeconds }),
  });

/** Creates `count` items that behave as `odd` says at their positions, and otherwise succeed. */
export const oddItems = (count: number, odd: Record<number, Omit<OddItem, 'n'>> = {}): OddItem[] =>
  Array.from({ length: count }, (_, n) => ({ n, ...odd[n] }));
