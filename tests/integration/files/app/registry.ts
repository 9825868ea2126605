/** A workload whose items have every type of a cell, in the place of the app's own. */
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { sales } from './sales.ts';

export const registry = createRegistry([sales]);
