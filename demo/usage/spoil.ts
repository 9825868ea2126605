import { pick } from 'functions-local';

/** One line of a usage file. */
export interface UsageRecord {
  id: string;
  account: string;
  product: string;
  quantity: string;
  unitPrice: string;
  currency: string;
  time: string;
  kind?: string;
  country?: string;
}

const FAULTS: readonly [(record: UsageRecord) => object, ...((record: UsageRecord) => object)[]] = [
  // Negative usage that is no credit: passes the schema, refused by the rules.
  ({ kind: _, ...record }) => ({ ...record, quantity: `-${record.quantity.replace('-', '')}` }),
  (record) => ({ ...record, currency: 'XXD' }),
  ({ account: _, ...record }) => record,
  (record) => ({ ...record, unitPrice: `${record.currency} ${record.unitPrice}` }),
];

/** Makes a record bad in one of four ways; it stays valid JSON, so that it costs itself alone and not its batch. */
export const spoil = (record: UsageRecord, random: number): object => pick(FAULTS, random)(record);
