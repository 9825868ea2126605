/** What a batch has spent, beside what other designs would have. */
import { addOperations, type Operations } from '../contract/operations.ts';
import {
  DURABLE_ACTION_ON_STORAGE,
  type DurableBackend,
  MESSAGE_AN_ITEM,
  storageOperations,
  timesOperations,
} from './counts.ts';
import { type Priced, priceOperations } from './price.ts';
import { type PriceClass, type PriceSheet, unitPrice } from './sheet.ts';

/** What a batch has spent. */
export interface ReceiptInput {
  /** Counted by the meter. */
  operations: Operations;
  /** Durable actions: an orchestration start is 1, an activity 2. */
  actions: number;
  items: number;
  /** Computed: what the drains did for this batch that its count does not have; default nothing. */
  drainOperations?: Operations;
  /** Default azureStorage. */
  backend?: DurableBackend;
}

/** A batch's bill, beside what other designs would have spent on it. */
export interface Receipt {
  sheet: string;
  items: number;
  actions: number;
  operations: Operations;
  /** Done by the drains beside what was counted: computed. */
  drainOperations: Operations;
  /** Done by the Durable extension itself: computed from the actions, not counted. */
  hostOperations: Operations;
  storageOperations: number;
  byService: Record<string, number>;
  totalUsd: number;
  unpriced: string[];
  unverified: PriceClass[];
  comparison: {
    messageAnItem: { operations: number; usd: number; timesOurs: number | null };
    /** One thread that polls an empty queue each second for a day. */
    pollingThreadADay: { operations: number; usd: number };
  };
}

const SECONDS_A_DAY = 24 * 60 * 60;

function comparisonOf(items: number, ours: number, sheet: PriceSheet): Receipt['comparison'] {
  const messages = timesOperations(MESSAGE_AN_ITEM, items);
  const operations = storageOperations(messages);
  return {
    messageAnItem: {
      operations,
      usd: priceOperations(messages, sheet).totalUsd,
      timesOurs: ours === 0 ? null : operations / ours,
    },
    pollingThreadADay: {
      operations: SECONDS_A_DAY,
      usd: priceOperations({ 'queue.get': SECONDS_A_DAY }, sheet).totalUsd,
    },
  };
}

/** The durable service's charge for actions, when it bills them. */
function actionCharge(actions: number, backend: DurableBackend, sheet: PriceSheet): Priced {
  const none: Priced = { byService: {}, totalUsd: 0, unpriced: [], unverified: [] };
  if (backend === 'azureStorage' || actions === 0) return none;
  const price = unitPrice(sheet, 'durable.action');
  if (price === null) return { ...none, unpriced: ['durable.action'] };
  const usd = actions * price;
  const unverified: PriceClass[] = sheet.prices['durable.action'].verified ? [] : ['durable.action'];
  return { ...none, byService: { durable: usd }, totalUsd: usd, unverified };
}

/** The receipt of a batch: pure arithmetic over what was counted. */
export function receipt(input: ReceiptInput, sheet: PriceSheet): Receipt {
  const { operations, actions, items, drainOperations = {}, backend = 'azureStorage' } = input;
  const hostOperations = backend === 'azureStorage' ? timesOperations(DURABLE_ACTION_ON_STORAGE, actions) : {};
  const all = [operations, drainOperations, hostOperations].reduce(addOperations);
  const priced = priceOperations(all, sheet);
  const charge = actionCharge(actions, backend, sheet);
  const ours = storageOperations(all);
  return {
    sheet: sheet.name,
    items,
    actions,
    operations,
    drainOperations,
    hostOperations,
    storageOperations: ours,
    byService: { ...priced.byService, ...charge.byService },
    totalUsd: priced.totalUsd + charge.totalUsd,
    unpriced: [...priced.unpriced, ...charge.unpriced],
    unverified: [...priced.unverified, ...charge.unverified],
    comparison: comparisonOf(items, ours, sheet),
  };
}
