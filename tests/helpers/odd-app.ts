/** The app with workloads that misbehave on demand, for tests of what then becomes of each item. */
import { buildAppCopy } from './app-copy.ts';

export interface OddItem {
  n: number;
  do?: string;
  url?: string;
  ms?: number;
}

/** Builds the copy; `name` keeps test files that run one after another from sharing a folder. */
export const buildOddApp = (name: string, activities = 4): Promise<string> =>
  buildAppCopy({
    name,
    project: 'tests/integration/failures/tsconfig.json',
    registry: 'tests/integration/failures/app/registry.ts',
    activities,
  });

/** `count` items that do as `odd` says at their positions, and else work. */
export const oddItems = (count: number, odd: Record<number, Omit<OddItem, 'n'>> = {}): OddItem[] =>
  Array.from({ length: count }, (_, n) => ({ n, ...odd[n] }));
