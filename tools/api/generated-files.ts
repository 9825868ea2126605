import { ROUTES } from '../../shared/http/routes.ts';
import { clientAudiences } from './client-audiences.ts';
import { keyClasses } from './key-classes.ts';

/** Returns the files that are written from the table of routes: path in the repository → text. */
export const generatedFiles = (): Readonly<Record<string, string>> => ({
  'shared/client/audiences.ts': clientAudiences(ROUTES),
  'infra/key-classes.sh': keyClasses(ROUTES),
});
