import { inspect } from 'node:util';
import { placeText } from '../../shared/client/index.ts';
import { delimiterName } from '../../shared/contract/upload-kinds.ts';
import type { CheckCause } from '../../shared/intake/check/check-items.ts';
import type { UploadCheck } from '../../shared/intake/check/check-upload.ts';
import type { CsvReading } from '../../shared/intake/parse/csv-options.ts';
import { formatCount, formatNumber, formatTable, formatUsd, unverifiedNote } from '../text/format.ts';
import type { SourceOptions } from '../upload/input.ts';
import { conversionOf } from '../upload/kind.ts';
import { sourceFlagsText } from './flags-text.ts';
import type { Suggestion } from './suggest.ts';

export interface Described {
  check: UploadCheck;
  name: string;
  workload: string;
  /** Paths of the fields in the schema; empty if the schema does not list them. */
  known: readonly string[];
  /** The first valid item as the handler receives it. */
  first?: { item: unknown } | undefined;
  suggestions: readonly Suggestion[];
  /** Another workload, whose schema most of the items match. */
  other?: { name: string; valid: number; items: number } | undefined;
  file: string;
  options: SourceOptions;
}

/** Returns the text of a check. */
export const describeCheck = (described: Described): string[] => [
  ...describeReading(described),
  ...describeItems(described.check),
  ...describeFirst(described),
  ...describeWhole(described.check),
  ...describeSuggestions(described),
];

const FORMATS = { ndjson: 'NDJSON', json: 'a JSON array', csv: 'CSV' } as const;

const CONVERTED_NAMES = { excel: 'Excel', parquet: 'Parquet' } as const;

function describeReading({ check: { format, encoding, csv }, name, workload, known, options }: Described): string[] {
  const dialect = csv && [
    `delimiter ${delimiterName(csv.delimiter)}`,
    `decimal ${csv.decimal === ',' ? 'comma' : 'point'}`,
    csv.charset,
  ];
  const from = conversionOf(name);
  // The format of a converted file matters only because errors contain its line numbers.
  const parts =
    from !== undefined && options.format === undefined
      ? [
          `${CONVERTED_NAMES[from]}, converted to ${FORMATS[format]} (line numbers below are those of the converted file)`,
        ]
      : [FORMATS[format], ...(dialect ?? []), encoding === 'identity' ? 'not compressed' : encoding];
  const shown = name === '-' ? 'standard input' : name;
  return [`${shown} for workload ${workload}: ${parts.join(', ')}`, ...(csv ? describeColumns(csv, known) : [])];
}

function describeColumns({ columns }: CsvReading, known: readonly string[]): string[] {
  const isKnown = (name: string): boolean =>
    known.length === 0 ||
    known.some((path) => path === name || path.startsWith(`${name}.`) || name.startsWith(`${path}.`));
  return formatTable([
    ['column', 'field', 'type', ''],
    ...columns.map(({ header, name, type }) => [
      header === '' ? '""' : header,
      name,
      type,
      [...(header === name ? [] : ['renamed']), ...(isKnown(name) ? [] : ['not in the schema'])].join(', '),
    ]),
  ]);
}

function describeItems({ items, whole, valid, invalid, causes, fault }: UploadCheck): string[] {
  const which = whole ? 'all' : 'the first';
  return [
    ...(fault ? [`The file cannot be read: ${placeText(fault)}: ${fault.message}`] : []),
    ...(fault && items === 0
      ? []
      : [`Items: ${which} ${formatCount(items)} read, ${formatCount(valid)} valid, ${formatCount(invalid)} invalid`]),
    ...causes.flatMap(describeCause),
  ];
}

function describeCause({ cause, count, examples }: CheckCause): string[] {
  const [first] = examples;
  if (first === undefined) return [`${formatCount(count)} x ${cause}`];
  return [`${formatCount(count)} x ${cause}`, `  for example ${placeText(first)}: ${first.message}`];
}

const MAX_SHOWN = { depth: 4, breakLength: 100, maxStringLength: 100, maxArrayLength: 5 } as const;
const MAX_SHOWN_LINES = 30;

/** Formats a value in at most 30 lines. */
export function shorten(value: unknown): string[] {
  const lines = inspect(value, MAX_SHOWN).split('\n');
  return lines.length <= MAX_SHOWN_LINES ? lines : [...lines.slice(0, MAX_SHOWN_LINES), '…'];
}

const describeFirst = ({ first }: Described): string[] =>
  first === undefined
    ? []
    : ['The first valid item, as the handler receives it:', ...shorten(first.item).map((line) => `  ${line}`)];

function describeWhole({ estimate, whole }: UploadCheck): string[] {
  if (estimate === undefined) return [];
  const { items, chunks, lane, operations, usd, sheet, currency, unverified } = estimate;
  const about = whole ? '' : 'about ';
  return [
    `Whole file: ${about}${formatNumber(items, 'item')} in ${about}${formatNumber(chunks, 'chunk')}, lane ${lane}`,
    `Computed: ${about}${formatCount(operations)} storage operations, ${formatUsd(usd, { currency, unverified })} per batch by the price sheet ${sheet}, with the secondsPerChunk of the workload`,
    ...unverifiedNote(unverified),
  ];
}

/** Returns the given options that no suggested option replaces; --rename may be repeated. */
const withoutGiven = (given: readonly string[], suggested: readonly string[]): string[] =>
  given.filter((flag) => flag.startsWith('--rename ') || !suggested.some((each) => nameIn(each) === nameIn(flag)));

const nameIn = (flag: string): string | undefined => flag.split(' ')[0];

function describeSuggestions({ suggestions, other, file, workload, options, check, name }: Described): string[] {
  const flags = suggestions.flatMap((each) => each.flags);
  const args = [file, '--workload', workload];
  return [
    ...suggestions.map(({ text, flags: [flag] }) => (flag === undefined ? text : `${text} Perhaps: ${flag}`)),
    ...(flags.length > 0
      ? [`Try: sluice try ${[...args, ...withoutGiven(sourceFlagsText(options), flags), ...flags].join(' ')}`]
      : []),
    ...(other
      ? [
          `The file matches workload ${other.name}: ${formatCount(other.valid)} of the first ${formatNumber(other.items, 'item')} are valid.`,
        ]
      : []),
    ...(check.fault === undefined && check.invalid === 0 && name !== '-'
      ? [`To submit it: sluice submit ${[...args, ...sourceFlagsText(options)].join(' ')}`]
      : []),
  ];
}
