import type { DashboardAssets } from '../shared/http/edge/app.ts';

/**
 * The built dashboard. A deployment contains only scripts, so the files are strings in a module. `npm run build`
 * replaces this module in dist/, and the packaging replaces it in the bundle. In the sources, nothing is built.
 */
export const assets = undefined as DashboardAssets | undefined;
