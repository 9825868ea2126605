import { buildAppCopy } from '../../tests/helpers/app-copy.ts';

/** Builds the app as it is, but for its registry, which has the bench's probe as well. Returns the app folder. */
export const buildApp = (): Promise<string> =>
  buildAppCopy({ name: 'bench-app', project: 'bench/tsconfig.json', registry: 'bench/app/registry.ts' });
