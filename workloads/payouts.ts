import { defineWorkload } from 'sluice';
import { balanceKeys, bookPayout, mergeBalances, noBalance } from './payouts/balance.ts';
import { distribute } from './payouts/distribute.ts';
import { sale } from './payouts/sale.ts';

/** Sales of works → the part of each author → a balance per author and currency. */
export default defineWorkload({
  name: 'payouts',
  version: 1,
  item: sale,
  map: distribute,
  reduce: { key: balanceKeys, init: noBalance, add: bookPayout, merge: mergeBalances },
  // Authors look at their balance soon after a sale: all sales except a monthly rerun precede other work.
  lanes: ['high', 'bulk'],
  lane: (batch) => (batch.items > 100_000 ? 'bulk' : 'high'),
  deadlineSeconds: 60,
});
