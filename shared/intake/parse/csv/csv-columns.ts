import { type CellFormat, cellJson, cellType } from '../../../workload/types/cells.ts';
import type { Schema, SchemaReader } from '../../../workload/types/schema-reader.ts';
import { ANY, TYPES } from '../../../workload/types/types.ts';
import type { CsvReading } from '../csv-options.ts';
import type { HeaderNames } from './csv-header.ts';
import type { HeaderFault } from './csv-header-limits.ts';

/** The columns of an upload, with which its rows are converted to items. */
export interface CsvColumns {
  reading: CsvReading;
  /** Minimum and maximum number of cells of a row; cells after the minimum must be empty. */
  minCells: number;
  maxCells: number;
  /** Returns the JSON of a row, which has at least as many cells as there are columns. */
  toJson(cells: readonly string[]): string;
}

/** The value of a property whose cells are empty: absent, unless the schema requires the property. */
type WhenEmpty = 'absent' | 'null' | 'object';

interface Cell {
  /** `"name":` */
  key: string;
  column: number;
  format: CellFormat;
  isText: boolean;
  whenEmpty: WhenEmpty;
}

interface Group {
  key: string;
  /** Members in the order of their first columns. */
  members: Map<string, Cell | Group>;
  schema: Schema;
  whenEmpty: WhenEmpty;
}

/** A reading whose types are not known yet. */
type NamedColumns = Omit<CsvReading, 'columns'> & { columns: readonly { header: string; name: string }[] };

/** Compiles named columns. Returns a fault if a name is both a value and an object. */
export function compileColumns(
  { columns, unnamed = 0, ...dialect }: NamedColumns,
  names: HeaderNames,
): CsvColumns | HeaderFault {
  const { schema } = names;
  const { decimal } = dialect;
  const root: Group = { key: '', members: new Map(), schema: schema.root, whenEmpty: 'object' };
  const typed: CsvReading['columns'][number][] = [];
  for (const [index, { header, name }] of columns.entries()) {
    const path = names.pathOf(name);
    const cell = addCell(root, path, { column: index, schema, decimal });
    if (cell === undefined) {
      const message = `Column ${JSON.stringify(name)} conflicts with another one: the same property would be both a value and an object.`;
      return { index, message };
    }
    typed.push({ header, name, type: cellType(cell.format.types) });
  }
  const members = membersOf(root);
  return {
    reading: { ...dialect, columns: typed, ...(unnamed === 0 ? {} : { unnamed }) },
    minCells: columns.length,
    maxCells: columns.length + unnamed,
    toJson: (cells) => objectJson(members, { cells, filled: 0 }),
  };
}

interface NewCell {
  column: number;
  schema: SchemaReader;
  decimal: CellFormat['decimal'];
}

function addCell(root: Group, path: readonly string[], { column, schema, decimal }: NewCell): Cell | undefined {
  let group = root;
  for (const step of path.slice(0, -1)) {
    const next = group.members.get(step) ?? addGroup(group, step, schema);
    if ('column' in next) return undefined;
    group = next;
  }
  const name = path.at(-1) ?? '';
  if (group.members.has(name)) return undefined;
  const types = schema.types(schema.property(group.schema, name));
  const format = { types, decimal };
  const whenEmpty = emptyValue(types, schema.requires(group.schema, name), 'absent');
  const cell: Cell = { key: keyOf(name), column, format, isText: cellType(types) === 'text', whenEmpty };
  group.members.set(name, cell);
  return cell;
}

function addGroup(group: Group, name: string, schema: SchemaReader): Group {
  const property = schema.property(group.schema, name);
  const whenEmpty = emptyValue(schema.types(property), schema.requires(group.schema, name), 'object');
  const added: Group = { key: keyOf(name), members: new Map(), schema: property, whenEmpty };
  group.members.set(name, added);
  return added;
}

const keyOf = (name: string): string => `${JSON.stringify(name)}:`;

/** A schema without types also allows null, but a coercion in the schema library would convert null to 0 or "null". */
function emptyValue(types: number, isRequired: boolean, otherwise: WhenEmpty): WhenEmpty {
  if (!isRequired) return 'absent';
  return types !== ANY && types & TYPES.null ? 'null' : otherwise;
}

type Member = Cell | Nested;
interface Nested extends Pick<Group, 'key' | 'whenEmpty'> {
  members: readonly Member[];
}

const membersOf = ({ members }: Group): Member[] =>
  [...members.values()].map((member) =>
    'column' in member ? member : { key: member.key, whenEmpty: member.whenEmpty, members: membersOf(member) },
  );

/** A row that is being converted. Each cell is visited once, so the work does not depend on the levels of the names. */
interface Row {
  cells: readonly string[];
  /** Number of cells visited so far that are not blank. */
  filled: number;
}

function objectJson(members: readonly Member[], row: Row): string {
  let json = '';
  for (const member of members) {
    const value = 'column' in member ? valueOfCell(member, row) : valueOfObject(member, row);
    if (value !== undefined) json += (json === '' ? '{' : ',') + member.key + value;
  }
  return json === '' ? '{}' : `${json}}`;
}

function valueOfCell({ column, format, isText, whenEmpty }: Cell, row: Row): string | undefined {
  const cell = row.cells[column] ?? '';
  if (!isBlank(cell)) row.filled++;
  else if (cell === '' || !isText) return whenEmpty === 'null' ? 'null' : undefined;
  return isText ? JSON.stringify(cell) : cellJson(cell, format);
}

function valueOfObject({ members, whenEmpty }: Nested, row: Row): string | undefined {
  const { filled } = row;
  const json = objectJson(members, row);
  if (whenEmpty === 'object' || row.filled > filled) return json;
  return whenEmpty === 'null' ? 'null' : undefined;
}

const [SPACE, NO_BREAK_SPACE] = [0x20, 0xa0];

/** Whether a cell contains only whitespace. The first character decides for most cells. */
export function isBlank(cell: string): boolean {
  const first = cell.charCodeAt(0);
  if (first > SPACE && first < NO_BREAK_SPACE) return false;
  return cell === '' || cell.trim() === '';
}
