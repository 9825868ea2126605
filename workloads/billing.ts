import { defineWorkload } from 'sluice';
import { rateTransaction } from './billing/rate.ts';
import { addLine, mergeSums, noSums, totalsKey, totalsOf } from './billing/totals.ts';
import { transaction } from './billing/transaction.ts';

/** Rated usage transactions → invoice lines with tax → totals per account and currency. */
export default defineWorkload({
  name: 'billing',
  version: 1,
  item: transaction,
  id: ({ id }) => id,
  map: rateTransaction,
  reduce: { key: totalsKey, init: noSums, add: addLine, merge: mergeSums, finish: totalsOf },
  lanes: ['high', 'normal', 'bulk'],
  lane: (batch) => (batch.items > 50_000 ? 'bulk' : 'normal'),
});
