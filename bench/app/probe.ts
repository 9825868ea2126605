import { z } from 'zod';
import { defineWorkload } from '../../shared/workload/define.ts';

/** Its result is the time at which the handler ran, in milliseconds since 1970: all parts share one machine's clock. */
export const probe = defineWorkload({
  name: 'probe',
  version: 1,
  item: z.object({ n: z.number() }),
  map: () => ({ atMs: performance.timeOrigin + performance.now() }),
});
