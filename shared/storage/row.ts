/**
 * Declares the rows of tables. A row is declared once, in the room that it belongs to: each column with the type that the
 * service stores, its type in the app, and its initial value. The type of the row, a new row, its entity and the full rows of
 * the tests follow from the declaration.
 *
 * A column keeps its type for every value: the service would store 5 as Int32, 5.5 as Double, and refuse or convert
 * 2,147,483,648, and filters compare by type. Counts of items, bytes, milliseconds and all values that grow over the life of a
 * queue are int64; int32 is for numbers that one of our limits keeps small.
 */

/** `json` is stored as a string, for values that are only read as a whole. */
export type ColumnType = 'string' | 'boolean' | 'int32' | 'int64' | 'double' | 'json';

/** `given`: the code that creates the row supplies the value. `optional`: the value may be absent. */
type Presence = 'given' | 'initial' | 'optional';

export interface Column<V, P extends Presence = Presence> {
  readonly type: ColumnType;
  readonly presence: P;
  /** In a new row, and in a stored row without the column. */
  readonly initial?: V;
}

interface MakeColumn<Base> {
  /** A value that the code that creates the row supplies. */
  <V extends Base = Base>(): Column<V, 'given'>;
  /** A value that rows of an earlier version may lack, and new ones begin with. */
  <V extends Base = Base>(initial: NoInfer<V>): Column<V, 'initial'>;
}

const columnOf = <Base>(type: ColumnType): MakeColumn<Base> =>
  ((...[initial]: [unknown?]) =>
    initial === undefined ? { type, presence: 'given' } : { type, presence: 'initial', initial }) as MakeColumn<Base>;

export const text = columnOf<string>('string');
export const flag = columnOf<boolean>('boolean');
export const int32 = columnOf<number>('int32');
export const int64 = columnOf<number>('int64');
export const double = columnOf<number>('double');
export const json = columnOf<unknown>('json');

/** A column that may be absent. */
export const optional = <V>({ type }: Column<V>): Column<V, 'optional'> => ({ type, presence: 'optional' });

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** A kind of row. `name` is for errors. */
export interface Row<C extends Columns = Columns> {
  readonly name: string;
  readonly columns: C;
  /** The values that a new row begins with. */
  readonly initial: Readonly<Flat<Initial<C>>>;
}

/** Declares a kind of row. */
export const defineRow = <C extends Columns>(name: string, columns: C): Row<C> => {
  const initial = Object.entries(columns).flatMap(([column, { initial: value }]) =>
    value === undefined ? [] : [[column, value]],
  );
  return { name, columns, initial: Object.fromEntries(initial) as Flat<Initial<C>> };
};

type ValueOf<C> = C extends Column<infer V> ? V : never;
type Flat<T> = { [N in keyof T]: T[N] };

/** The values of a row in the app: numbers are plain numbers. */
export type Values<C extends Columns> = Flat<
  { -readonly [N in keyof C as C[N] extends Column<unknown, 'optional'> ? never : N]: ValueOf<C[N]> } & {
    -readonly [N in keyof C as C[N] extends Column<unknown, 'optional'> ? N : never]?: ValueOf<C[N]> | undefined;
  }
>;
/** The values of a kind of row: `RowOf<typeof GATE>`. */
export type RowOf<R> = R extends Row<infer C> ? Values<C> : never;
/** Some values of a row, to be written. A value that is undefined is not stored. */
export type SomeValues<C extends Columns> = { -readonly [N in keyof C]?: ValueOf<C[N]> | undefined };
type Initial<C extends Columns> = {
  -readonly [N in keyof C as C[N] extends Column<unknown, 'initial'> ? N : never]: ValueOf<C[N]>;
};

/** Returns columns of another row, to be declared again. */
export const pickColumns = <C extends Columns, const N extends keyof C & string>(
  { columns }: Row<C>,
  names: readonly N[],
): Pick<C, N> => Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<C, N>;

/** Returns the values of some columns, without the others of a row. */
export const pickValues = <C extends Columns>(columns: C, row: Values<C>): Values<C> =>
  Object.fromEntries(Object.keys(columns).map((name) => [name, row[name as keyof Values<C>]])) as Values<C>;
