/**
 * Yields the rows of a CSV text (RFC 4180, with a header line) as objects of strings. The pipeline must have accepted
 * the text.
 */
export function* readCsv(text: string): Generator<Record<string, string>> {
  let header: string[] | undefined;
  for (const row of splitRows(text)) {
    if (row.length === 1 && row[0] === '') continue;
    if (header) yield Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));
    else header = row;
  }
}

/** One field and its terminator: quoted, with doubled quotes inside, or up to the next comma or line end. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/y;

function* splitRows(text: string): Generator<string[]> {
  let row: string[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length || row.length > 0) {
    const field = FIELD.exec(text);
    if (!field) return;
    const [, quoted, plain = '', end] = field;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    yield row;
    row = [];
  }
}
