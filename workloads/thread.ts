/** The module that each worker thread loads: the workloads, served to the pool. */
import { serve } from '../shared/processing/thread/serve.ts';
import { registry } from './index.ts';

export default serve(registry);
