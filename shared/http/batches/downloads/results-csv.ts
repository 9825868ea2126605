import type { HttpRequest } from '@azure/functions';
import { Problem } from '../../../errors.ts';
import { Turns } from '../../../turns.ts';
import { columnsOf, csvLine, isRecord, MAX_COLUMNS, OTHER_FIELDS, valuesBy } from '../../edge/csv.ts';
import { MEDIA_TYPES } from '../../edge/formats.ts';
import { nextLink } from '../../edge/links.ts';
import type { Answer } from '../../edge/route.ts';

/**
 * Maximum length of the default columns in a link to the next page. App Service accepts URLs of up to 8,192 characters; half is
 * left for the rest.
 */
const MAX_NAMES_CHARS = 4_096;

/**
 * Returns results as CSV. The columns are each `?column=`, otherwise the fields of the first chunk. The link to the next page
 * contains them and omits the header line, so that the pages can be concatenated. Fields that the first chunk did not have, or
 * that do not fit, are collected in one column: the header of a stream cannot be changed later. `from` is the first chunk of
 * the next page; undefined for the last page.
 * @throws Problem 'invalid-parameter' for more than MAX_COLUMNS columns.
 */
export async function csvResults(
  request: HttpRequest,
  chunks: AsyncGenerator<string[]>,
  { from, headers }: { from: string | undefined; headers: Record<string, string> },
): Promise<Answer> {
  const chosen = request.query.getAll('column');
  if (chosen.length > MAX_COLUMNS)
    throw new Problem('invalid-parameter', `column may be given at most ${MAX_COLUMNS} times; got ${chosen.length}.`);
  const first = await chunks.next();
  const firstLines = first.done ? [] : first.value;
  const columns = chosen.length > 0 ? chosen : defaultColumns(firstLines);
  const withHeader = request.query.get('header') !== 'absent';
  const type = `${MEDIA_TYPES.csv}; header=${withHeader ? 'present' : 'absent'}`;
  const stream = csvPieces(firstLines, chunks, { columns, withHeader });
  return {
    headers: { ...headers, 'content-type': type, ...nextLink(request, { from, column: columns, header: 'absent' }) },
    stream,
  };
}

const parse = (line: string): unknown => JSON.parse(line);

/** Results that are not objects have a single column `value`. */
function defaultColumns(lines: string[]): string[] {
  const { names } = columnsOf(lines.map(parse));
  if (names.length === 0) return ['value'];
  let chars = 0;
  const fitting = names.findIndex((name) => {
    chars += `&column=${encodeURIComponent(name.toWellFormed())}`.length;
    return chars > MAX_NAMES_CHARS;
  });
  return [...(fitting < 0 ? names : names.slice(0, fitting)), OTHER_FIELDS];
}

async function* csvPieces(
  firstLines: string[],
  rest: AsyncIterable<string[]>,
  { columns, withHeader }: { columns: string[]; withHeader: boolean },
): AsyncGenerator<string> {
  const row = rowOf(columns);
  const turns = new Turns();
  if (withHeader) yield csvLine(columns);
  yield* rowsOf(firstLines, row, turns);
  for await (const lines of rest) yield* rowsOf(lines, row, turns);
}

async function* rowsOf(lines: readonly string[], row: (line: string) => string, turns: Turns): AsyncGenerator<string> {
  let text = '';
  for (const line of lines) {
    text += row(line);
    const turn = turns.next();
    if (turn === undefined) continue;
    yield text;
    text = '';
    await turn;
  }
  yield text;
}

function rowOf(columns: string[]): (line: string) => string {
  const valuesOf = valuesBy(columns);
  const scalar = columns.includes('value') ? 'value' : OTHER_FIELDS;
  return (line) => {
    const value = parse(line);
    return csvLine(isRecord(value) ? valuesOf(value) : columns.map((name) => (name === scalar ? value : undefined)));
  };
}
