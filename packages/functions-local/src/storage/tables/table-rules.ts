/** Rules of the table service, except for those of a single entity (`entity-rules.ts`). */

import type { Request } from '../request.ts';
import { invalidName } from '../rules/common-rules.ts';
import type { Refusal } from '../rules/refusal.ts';
import { bodyTooLarge, invalidInput, outOfRangeInput, type Rule, refusalOf } from '../rules/rule.ts';
import type { ServiceClock } from '../serve-call.ts';
import { keysOf, parseEntity, partitionOf } from './entity.ts';
import { ENTITY_RULES } from './entity-rules.ts';
import { countComparisons, untypedLongIn } from './filter.ts';
import { parseTransaction } from './transaction.ts';

/** The limit of an entity's body and of a transaction's. */
export const MAX_TABLE_BODY_BYTES = 4 * 1024 * 1024;
const NAME = /^[A-Za-z][A-Za-z0-9]*$/;
const MAX_COMPARISONS = 15;
const MAX_PAGE = 1_000;
const MAX_CHANGES = 100;

/** Detected while the body is read. */
export const tableBodyTooLarge = { rule: 'table-body-size', ...bodyTooLarge(MAX_TABLE_BODY_BYTES) };

export const TABLE_RULES: readonly Rule[] = [
  {
    id: 'table-name',
    check: ({ operation, resource, body }) => {
      const name = operation === 'create-table' ? tableNameIn(body) : resource;
      if (name === undefined) return undefined;
      if (name.length < 3 || name.length > 63) {
        return outOfRangeInput('The specified resource name length is not within the permissible limits.');
      }
      return NAME.test(name) && name.toLowerCase() !== 'tables' ? undefined : invalidName;
    },
  },
  {
    id: 'filter-comparisons',
    on: ['query-entities'],
    check: ({ query }) =>
      countComparisons(query.get('$filter') ?? '') > MAX_COMPARISONS
        ? invalidInput(`The filter has more than ${MAX_COMPARISONS} comparisons.`)
        : undefined,
  },
  {
    id: 'filter-int32',
    on: ['query-entities'],
    check: ({ query }) => {
      const literal = untypedLongIn(query.get('$filter') ?? '');
      return literal === undefined ? undefined : invalidInput(`Unrecognized 'Edm.Int32' literal '${literal}'.`);
    },
  },
  {
    id: 'query-top',
    on: ['query-entities'],
    check: ({ query }) => {
      const top = query.get('$top') ?? '1';
      return /^\d+$/.test(top) && Number(top) >= 1 && Number(top) <= MAX_PAGE
        ? undefined
        : invalidInput(`Expected $top from 1 to ${MAX_PAGE}, got ${top}.`);
    },
  },
  ...ENTITY_RULES,
];

/** Returns the name of a new table, or undefined if the body has none. */
export const tableNameIn = (body: Buffer): string | undefined => {
  const name = parseEntity(body)?.properties.find((property) => property.name === 'TableName')?.value;
  return typeof name === 'string' ? name : undefined;
};

/** A refusal of one operation of a transaction. `index` counts from 0. */
export interface RefusedOperation {
  index: number;
  refusal: Refusal;
}

/** Rules of a transaction as a whole. */
export const TRANSACTION_RULES: readonly {
  id: string;
  check(operations: readonly Request[]): RefusedOperation | undefined;
}[] = [
  {
    id: 'transaction-count',
    check: (operations) => {
      const message = 'The batch request operation exceeds the maximum 100 changes per change set.';
      const refusal = { status: 400, code: 'InvalidInput', message };
      return operations.length > MAX_CHANGES ? { index: 0, refusal } : undefined;
    },
  },
  {
    id: 'transaction-partition',
    check: (operations) => {
      const [first] = operations;
      const index = operations.findIndex((one) => first && partitionOf(one) !== partitionOf(first));
      const message = 'All commands in a batch must operate on same entity group.';
      const refusal = { status: 400, code: 'CommandsInBatchActOnDifferentPartitions', message };
      return index < 0 ? undefined : { index, refusal };
    },
  },
  {
    id: 'transaction-duplicate',
    check: (operations) => {
      const seen = new Set<string>();
      const index = operations.findIndex((one) => {
        const key = JSON.stringify(rowOf(one));
        const known = seen.has(key);
        seen.add(key);
        return known;
      });
      const message =
        'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.';
      return index < 0 ? undefined : { index, refusal: { status: 400, code: 'InvalidDuplicateRow', message } };
    },
  },
];

const rowOf = (request: Request): unknown[] => [partitionOf(request), keysOf(request).rowKey];

/**
 * Returns the first operation of a transaction that the service would refuse. A refusal of the whole transaction has its own
 * index.
 */
export function refusedOperation({ body }: Request, clock: ServiceClock): RefusedOperation | undefined {
  const operations = parseTransaction(body);
  for (const { id, check } of TRANSACTION_RULES) {
    const refused = check(operations);
    if (refused) return { ...refused, refusal: { rule: id, ...refused.refusal } };
  }
  for (const [index, operation] of operations.entries()) {
    const refusal = refusalOf(TABLE_RULES, operation, clock);
    if (refusal) return { index, refusal };
  }
  return undefined;
}
