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
  // Negative usage that is not a credit: passes the schema, and the rules reject it.
  ({ kind: _, ...record }) => ({ ...record, quantity: `-${record.quantity.replace('-', '')}` }),
  (record) => ({ ...record, currency: 'XXD' }),
  ({ account: _, ...record }) => record,
  (record) => ({ ...record, unitPrice: `${record.currency} ${record.unitPrice}` }),
];

/** Makes a record invalid in one of four ways. It stays valid JSON, so that it fails alone, not with its batch. */
export const spoil = (record: UsageRecord, random: number): object => pick(FAULTS, random)(record);
