/** Builds the JSON of an item from the cells of a row. */
import { MAX_ITEM_NESTING } from '../../../contract/text/nesting.ts';
import { type CellFormat, cellJson, cellType } from './csv-cells.ts';
import type { HeaderFault, HeaderNames } from './csv-header.ts';
import type { CellType } from './csv-options.ts';
import { ALLOWS, ANY, type Schema, type SchemaReader } from './csv-schema.ts';

/** The columns of an upload, with which its rows are converted to items. */
export interface CsvColumns {
  /** Type per column. */
  types: CellType[];
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

/** Compiles named columns. Returns a fault if a name is both a value and an object, or nested too deep. */
export function compileColumns(
  columns: readonly string[],
  names: HeaderNames,
  decimal: CellFormat['decimal'],
): CsvColumns | HeaderFault {
  const { schema } = names;
  const root: Group = { key: '', members: new Map(), schema: schema.root, whenEmpty: 'object' };
  const types: CellType[] = [];
  for (const [index, name] of columns.entries()) {
    const path = names.pathOf(name);
    if (path.length > MAX_ITEM_NESTING) return { index, message: `The name has over ${MAX_ITEM_NESTING} levels.` };
    const cell = addCell(root, path, { column: index, schema, decimal });
    if (cell === undefined) {
      const message = `Column ${JSON.stringify(name)} conflicts with another one: the same property would be both a value and an object.`;
      return { index, message };
    }
    types.push(cellType(cell.format.types));
  }
  const members = [...root.members.values()];
  return { types, toJson: (cells) => objectJson(members, cells) };
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
  return types !== ANY && types & ALLOWS.null ? 'null' : otherwise;
}

function objectJson(members: Iterable<Cell | Group>, cells: readonly string[]): string {
  let json = '';
  for (const member of members) {
    const value = 'column' in member ? valueOfCell(member, cells) : valueOfGroup(member, cells);
    if (value !== undefined) json += (json === '' ? '{' : ',') + member.key + value;
  }
  return json === '' ? '{}' : `${json}}`;
}

function valueOfCell({ column, format, isText, whenEmpty }: Cell, cells: readonly string[]): string | undefined {
  const cell = cells[column] ?? '';
  if (isText ? cell === '' : isBlank(cell)) return whenEmpty === 'null' ? 'null' : undefined;
  return isText ? JSON.stringify(cell) : cellJson(cell, format);
}

function valueOfGroup(group: Group, cells: readonly string[]): string | undefined {
  const { members, whenEmpty } = group;
  if (whenEmpty === 'object' || hasValue(group, cells)) return objectJson(members.values(), cells);
  return whenEmpty === 'null' ? 'null' : undefined;
}

const hasValue = ({ members }: Group, cells: readonly string[]): boolean =>
  [...members.values()].some((member) =>
    'column' in member ? !isBlank(cells[member.column] ?? '') : hasValue(member, cells),
  );

/** Whether a cell contains only whitespace. */
export const isBlank = (cell: string): boolean => cell === '' || cell.trim() === '';
