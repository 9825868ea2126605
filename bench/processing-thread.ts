/** The worker thread of bench/processing.ts: a light workload with a schema, a map and a reduce. */
import { z } from 'zod';
import { serve } from '../shared/processing/thread/serve.ts';
import { defineWorkload } from '../shared/workload/define.ts';
import { createRegistry } from '../shared/workload/registry.ts';

const light = defineWorkload({
  name: 'light',
  version: 1,
  item: z.object({ id: z.string(), account: z.string(), amount: z.number(), currency: z.string() }),
  map: (item) => ({ id: item.id, account: item.account, fee: Math.round(item.amount * 0.015) }),
  reduce: {
    key: (result) => result.account,
    init: () => ({ fees: 0, count: 0 }),
    add: (acc, result) => ({ fees: acc.fees + result.fee, count: acc.count + 1 }),
    merge: (a, b) => ({ fees: a.fees + b.fees, count: a.count + b.count }),
  },
});

// biome-ignore lint/style/noDefaultExport: a thread's file exports its function as default
export default serve(createRegistry([light]));
