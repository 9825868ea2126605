/** A step of `npm run build`: builds the packages that an app need not install into what tsc wrote. */
import { join } from 'node:path';
import { buildIn } from './packaging/built-in.ts';

await buildIn(join(import.meta.dirname, '..'));
