/** A row of each kind with all columns set, derived from its declaration. */
import { BATCH } from '../../../shared/batches/batch-row.ts';
import { CHUNK } from '../../../shared/batches/chunk-row.ts';
import { KEY } from '../../../shared/batches/keys.ts';
import { LINE } from '../../../shared/batches/listing/index-rows.ts';
import { OPEN_BATCH } from '../../../shared/batches/listing/open-rows.ts';
import { PROGRESS } from '../../../shared/batches/progress/progress-rows.ts';
import { ACTION } from '../../../shared/commands/audit-log.ts';
import { GATE } from '../../../shared/gate/gate-row.ts';
import { HEARTBEAT } from '../../../shared/gate/heartbeat.ts';
import { POLICY } from '../../../shared/gate/policy-store.ts';
import { MARK } from '../../../shared/intake/inbox/inbox-marks.ts';
import { QUOTA } from '../../../shared/limits/quota-row.ts';
import { type StoredEntity, toEntity } from '../../../shared/storage/entity.ts';
import type { Columns, ColumnType, Row, Values } from '../../../shared/storage/row.ts';
import { NOTE } from '../../../shared/sweep/chores.ts';

/** All kinds of rows. A test compares them with the declarations in `shared/`. */
export const ROWS: readonly Row[] = [
  ...[BATCH, CHUNK, PROGRESS, LINE, OPEN_BATCH, NOTE, KEY, MARK],
  ...[GATE, HEARTBEAT, POLICY, QUOTA, ACTION],
];

/** Values of all columns, with `n` for whole numbers that may be large and `x` for fractions. */
export function fullValues<C extends Columns>({ columns }: Row<C>, n: number, x: number): Required<Values<C>> {
  const values: Record<ColumnType, unknown> = {
    ...{ string: 'a text', boolean: true, json: { n, text: 'Größe' } },
    ...{ int32: 1, int64: n, double: x },
  };
  return Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [name, values[type]])) as Required<
    Values<C>
  >;
}

/** The entity of a row with all of its columns. */
export const fullEntity = (row: Row, n: number, x: number): StoredEntity =>
  toEntity(row, { partitionKey: 'p', rowKey: row.name }, fullValues(row, n, x));
