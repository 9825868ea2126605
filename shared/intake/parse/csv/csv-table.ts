/** Reads the header of a CSV upload, and creates the table with which rows are converted to items. */
import type { JsonSchema } from '../../../workload/item-schema.ts';
import { SchemaReader } from '../../../workload/types/schema-reader.ts';
import type { CsvOptions, CsvReading } from '../csv-options.ts';
import { type CsvColumns, compileColumns } from './csv-columns.ts';
import { HeaderNames, readHeader } from './csv-header.ts';
import type { HeaderFault } from './csv-header-limits.ts';

/** The columns of an upload. */
export interface CsvTable extends CsvColumns {
  /** Minimum and maximum number of cells of a row; cells after the minimum must be empty. */
  minCells: number;
  maxCells: number;
  reading: CsvReading;
}

/** A reading whose types are not known yet. */
type NamedColumns = Omit<CsvReading, 'columns'> & { columns: readonly { header: string; name: string }[] };

/** Creates tables from headers. */
export class CsvTables {
  readonly #names: HeaderNames;
  readonly #decimal: CsvReading['decimal'];

  constructor(schema: JsonSchema | undefined, { rename, decimal = '.' }: CsvOptions = {}) {
    this.#names = new HeaderNames(new SchemaReader(schema), rename);
    this.#decimal = decimal;
  }

  /** Whether the schema or a rename contains a header. */
  knows(header: string): boolean {
    return this.#names.knows(header);
  }

  /**
   * Creates the table of a header.
   * @throws Problem 'invalid-parameter' for a rename of a missing header.
   */
  read(cells: readonly string[], dialect: Pick<CsvReading, 'delimiter' | 'charset'>): CsvTable | HeaderFault {
    const header = readHeader(cells, this.#names);
    return 'message' in header ? header : this.#compile({ ...dialect, decimal: this.#decimal, ...header });
  }

  /** Creates the table of an upload whose header was read before. */
  resume(reading: CsvReading): CsvTable {
    const table = this.#compile(reading);
    if ('message' in table) throw new Error(`The columns of a CSV upload cannot be resumed: ${table.message}`);
    return table;
  }

  #compile({ columns, unnamed = 0, ...dialect }: NamedColumns): CsvTable | HeaderFault {
    const names = columns.map(({ name }) => name);
    const compiled = compileColumns(names, this.#names, dialect.decimal);
    if ('message' in compiled) return compiled;
    const typed = columns.map(({ header, name }, index) => ({ header, name, type: compiled.types[index] ?? 'text' }));
    const reading = { ...dialect, columns: typed, ...(unnamed === 0 ? {} : { unnamed }) };
    return { ...compiled, minCells: columns.length, maxCells: columns.length + unnamed, reading };
  }
}
