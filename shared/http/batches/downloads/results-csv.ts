import type { HttpRequest } from '@azure/functions';
import type { Answer } from '../../edge/answers.ts';
import { columnsOf, csvLine, fieldOf, isRecord } from '../../edge/csv.ts';
import { MEDIA_TYPES } from '../../edge/formats.ts';
import { type Frames, frameStream } from '../../edge/frame-stream.ts';
import { nextLink } from '../../edge/links.ts';

/** Column for the fields that the first chunk did not have: the header of a stream cannot be changed later. */
const OTHER_FIELDS = 'otherFields';

export interface CsvPage {
  /** Changes to the query for the link to the next page; undefined for the last page. */
  from: Record<string, string> | undefined;
  headers: Record<string, string>;
}

/**
 * Returns results as CSV. The columns are each `?column=`, otherwise the fields of the first chunk. The link to the next page
 * contains them and omits the header line, so that the pages can be concatenated.
 */
export async function csvResults(
  request: HttpRequest,
  { frames, read }: Frames<string[]>,
  { from, headers }: CsvPage,
): Promise<Answer> {
  const [first, ...others] = frames;
  const firstLines = first ? await read(first) : [];
  const chosen = request.query.getAll('column');
  const columns = chosen.length > 0 ? chosen : defaultColumns(firstLines);
  const withHeader = request.query.get('header') !== 'absent';
  const next = from && { ...from, column: columns, header: 'absent' };
  const type = `${MEDIA_TYPES.csv}; header=${withHeader ? 'present' : 'absent'}`;
  const stream = frameStream({ frames: others, read }, (rest) => csvPieces(firstLines, rest, { columns, withHeader }));
  return { headers: { ...headers, 'content-type': type, ...nextLink(request, next) }, stream };
}

const parse = (line: string): unknown => JSON.parse(line);

/** Results that are not objects have a single column `value`. */
function defaultColumns(lines: string[]): string[] {
  const columns = columnsOf(lines.map(parse));
  return columns.length === 0 ? ['value'] : [...columns, OTHER_FIELDS];
}

async function* csvPieces(
  firstLines: string[],
  rest: AsyncIterable<string[]>,
  { columns, withHeader }: { columns: string[]; withHeader: boolean },
): AsyncGenerator<string> {
  const row = rowOf(columns);
  if (withHeader) yield csvLine(columns);
  yield firstLines.map(row).join('');
  for await (const lines of rest) yield lines.map(row).join('');
}

function rowOf(columns: string[]): (line: string) => string {
  const known = new Set(columns);
  const collects = known.has(OTHER_FIELDS);
  const scalar = known.has('value') ? 'value' : OTHER_FIELDS;
  return (line) => {
    const value = parse(line);
    if (!isRecord(value)) return csvLine(columns.map((name) => (name === scalar ? value : undefined)));
    const others = collects ? Object.entries(value).filter(([name]) => !known.has(name)) : [];
    const filled = others.length === 0 ? value : { ...value, [OTHER_FIELDS]: Object.fromEntries(others) };
    return csvLine(columns.map((name) => fieldOf(filled, name)));
  };
}
