/** Replaces the app's workloads by one whose items contain every cell type. */
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { sales } from './sales.ts';

export const registry = createRegistry([sales]);
