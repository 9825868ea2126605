/** The worker thread of bench/contenders/processor.ts. */
import { serve } from '../../shared/processing/thread/serve.ts';
import { createRegistry } from '../../shared/workload/registry.ts';
import { waiting } from '../app/waiting.ts';

// biome-ignore lint/style/noDefaultExport: a thread's file exports its function as default
export default serve(createRegistry(waiting));
