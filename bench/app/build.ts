import { buildAppCopy } from '../../tests/helpers/app-copy.ts';

/** Builds the app as it is, but for its registry, which has the bench's probe as well. Returns the app folder. */
export const buildApp = (name = 'bench-app'): Promise<string> =>
  buildAppCopy({ name, project: 'bench/tsconfig.json', registry: 'bench/app/registry.ts' });
