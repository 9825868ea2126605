import { Problem } from '../../../errors.ts';
import type { JsonSchema } from '../../../workload/item-schema.ts';
import { type Schema, SchemaReader } from '../../../workload/types/schema-reader.ts';
import { findOversized, type HeaderFault } from './csv-header-limits.ts';

const SHOWN_HEADERS = 20;

/** The columns of a header. Columns without a name can only be the last ones. */
export interface CsvHeader {
  /** `name` is the path in the item, with dots. */
  columns: { header: string; name: string }[];
  unnamed: number;
}

/** The names that headers are matched with; created once per upload. */
export class HeaderNames {
  readonly schema: SchemaReader;
  /** The item, as the schema describes it. */
  readonly known: KnownObject;
  /** New name per header in lower case, because renames ignore case; `old` is the header as the options contain it. */
  readonly renames: ReadonlyMap<string, { old: string; name: string }>;

  constructor(schema: JsonSchema | undefined, rename: Readonly<Record<string, string>> = {}) {
    this.schema = new SchemaReader(schema);
    this.known = new KnownObject(this.schema, this.schema.root);
    this.renames = new Map(Object.entries(rename).map(([old, name]) => [folded(old), { old, name }]));
  }

  knows(header: string): boolean {
    const [first = ''] = splitPath(header.trim());
    return (
      this.renames.has(folded(header)) || [header.trim(), first].some((name) => this.known.find(name) !== undefined)
    );
  }

  /** Returns the path of a name in the item. A name of the schema is one step, even if it contains dots. */
  pathOf(name: string): string[] {
    return this.known.has(name) ? [name] : splitPath(name);
  }
}

/** An object of the schema: the names of its properties, and the objects in them. */
class KnownObject {
  readonly #reader: SchemaReader;
  readonly #schema: Schema;
  readonly #names: ReadonlySet<string>;
  /** Names by their letters and digits; undefined if several names have the same. */
  readonly #alike = new Map<string, string | undefined>();
  readonly #members = new Map<string, KnownObject>();

  constructor(reader: SchemaReader, schema: Schema) {
    this.#reader = reader;
    this.#schema = schema;
    this.#names = reader.names(schema);
    for (const name of this.#names) {
      const key = letters(name);
      if (key !== '') this.#alike.set(key, this.#alike.has(key) ? undefined : name);
    }
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Returns the name itself, or the only one with the same letters and digits, ignoring case. */
  find(header: string): string | undefined {
    return this.#names.has(header) ? header : this.#alike.get(letters(header));
  }

  /** Returns the object in a property. It is created once, even if several columns refer to it. */
  member(name: string): KnownObject {
    const known = this.#members.get(name) ?? new KnownObject(this.#reader, this.#reader.property(this.#schema, name));
    this.#members.set(name, known);
    return known;
  }
}

/**
 * Names the columns. Each gets its name from `rename`, or from the schema's property of the same name, or from the schema's
 * only property with the same letters and digits; otherwise the header itself is the name. Dots are steps into objects,
 * unless the schema has a property with exactly that name.
 * @throws Problem 'invalid-parameter' for a rename of a missing header.
 */
export function readHeader(cells: readonly string[], names: HeaderNames): CsvHeader | HeaderFault {
  const trimmed = cells.map((cell) => cell.trim());
  const headers = trimmed.slice(0, trimmed.findLastIndex((header) => header !== '') + 1);
  const bad = headers.findIndex((header) => header === '' || header.includes('\0'));
  if (bad >= 0 && headers[bad] !== '') return { index: bad, message: IS_UTF16 };
  if (bad >= 0) return { index: bad, message: 'The header has a column without a name.' };
  const oversized = findOversized(headers, (name) => names.pathOf(name));
  if (oversized) return oversized;
  const renamed = headers.map((header) => names.renames.get(folded(header))?.name);
  requireRenames(headers, names);
  const taken = new Set([...renamed, ...headers.filter((header) => names.known.has(header))]);
  const columns = headers.map((header, index) => ({
    header,
    name: renamed[index] ?? matchedName(header, names, taken),
  }));
  return (
    findOversized(
      columns.map(({ name }) => name),
      (name) => names.pathOf(name),
    ) ??
    findDuplicate(columns) ?? { columns, unnamed: cells.length - headers.length }
  );
}

const IS_UTF16 = 'The header has NUL characters: a file in UTF-16 needs a byte order mark, or charset=utf-16le.';

const folded = (header: string): string => header.trim().toLowerCase();
const letters = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Splits a name at its dots. `No.` and `Approx. price` are plain names, because a step is neither empty nor padded. */
function splitPath(name: string): string[] {
  const steps = name.split('.');
  return steps.every((step) => step !== '' && step === step.trim()) ? steps : [name];
}

function requireRenames(headers: readonly string[], { renames }: HeaderNames): void {
  const present = new Set(headers.map(folded));
  const missing = [...renames].find(([key]) => !present.has(key));
  if (!missing) return;
  const shown = headers.slice(0, SHOWN_HEADERS).map((header) => JSON.stringify(header));
  const rest = headers.length > shown.length ? ` and ${headers.length - shown.length} more` : '';
  const message = `rename: the header has no column ${JSON.stringify(missing[1].old)}. It has ${shown.join(', ')}${rest}.`;
  throw new Problem('invalid-parameter', message);
}

/** `taken`: names that other headers have exactly or by a rename; a header only similar to one keeps its name. */
function matchedName(header: string, names: HeaderNames, taken: ReadonlySet<string | undefined>): string {
  if (names.known.has(header)) return header;
  const path = splitPath(header);
  if (path.length > 1 && names.known.find(path[0] ?? '') !== undefined) return matchedPath(path, names.known);
  const like = names.known.find(header);
  return like === undefined || taken.has(like) ? header : like;
}

function matchedPath(path: readonly string[], root: KnownObject): string {
  let at = root;
  const steps = path.map((step, index) => {
    const name = at.find(step) ?? step;
    if (index < path.length - 1) at = at.member(name);
    return name;
  });
  return steps.join('.');
}

function findDuplicate(columns: CsvHeader['columns']): HeaderFault | undefined {
  const first = new Map<string, string>();
  for (const [index, { header, name }] of columns.entries()) {
    const other = first.get(name);
    if (other !== undefined) return { index, message: duplicate(name, other, header) };
    first.set(name, header);
  }
  return undefined;
}

function duplicate(name: string, first: string, second: string): string {
  if (first === second) return `The header has two columns ${JSON.stringify(first)}.`;
  const both = `${JSON.stringify(first)} and ${JSON.stringify(second)}`;
  return `Two columns of the header are property ${JSON.stringify(name)} of the item: ${both}. Rename one of them.`;
}
