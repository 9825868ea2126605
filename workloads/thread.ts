/** The module that each worker thread loads: the workloads, served to the pool. */
import { serve } from 'sluice/thread';
import { registry } from './index.ts';

export default serve(registry);
