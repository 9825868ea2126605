import type { DashboardAssets } from '../shared/http/dashboard/dashboard.ts';

/**
 * The built dashboard. A deployment holds scripts only, so that the files are strings in a module: `npm run build` writes
 * it in place of this one into dist/, and the packaging does so in the bundle. Here, in the sources, nothing is built.
 */
export const assets = undefined as DashboardAssets | undefined;
