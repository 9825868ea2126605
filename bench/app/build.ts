import { buildAppCopy } from '../../tests/helpers/app-copy.ts';

/** Builds the unchanged app, but with the bench's probe in its registry. Returns the app folder. */
export const buildApp = (): Promise<string> =>
  buildAppCopy({ name: 'bench-app', project: 'bench/tsconfig.json', registry: 'bench/app/registry.ts' });
