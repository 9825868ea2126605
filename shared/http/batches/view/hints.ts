/** What a user can do about items that do not fit the schema, in words and as a command. */
import type { BatchRow } from '../../../batches/batch-row.ts';
import { delimiterName } from '../../../contract/upload-kinds.ts';
import { shellFile } from '../../../shell-word.ts';

type HintedRow = Pick<BatchRow, 'workload' | 'fileName' | 'csv'>;

const CELLS_ARE_TEXT =
  'Each cell of this CSV upload is text, since the schema of the workload gives no JSON Schema to convert it by: an item' +
  ' that needs a number or a boolean there is invalid.';

/** Returns the likely cause of dead letters, if the properties of the upload suggest one. */
export const deadLetterHint = ({ csv, dead }: Pick<BatchRow, 'csv' | 'dead'>): string | undefined =>
  dead > 0 && csv?.cells === 'text' ? CELLS_ARE_TEXT : undefined;

/** What to look at in a suspect batch, of which none of the first items fits the schema, and the command that shows why. */
export function suspectHint(row: HintedRow): { hint: string; command: string } {
  return { hint: likelyCause(row), command: commandOf(row) };
}

function likelyCause({ csv }: HintedRow): string {
  if (csv === undefined)
    return 'Check the first records with the command, correct the file or the workload, and submit again.';
  if (csv.columns === 1)
    return `The CSV was read as one column, with ${delimiterName(csv.delimiter)} as the delimiter: perhaps it has another one.`;
  if (csv.cells === 'text') return CELLS_ARE_TEXT;
  return 'Perhaps its columns have other names than the fields of the schema: --rename gives a column another name.';
}

/** Only the name of the file is known here, not the path on the user's machine. */
function commandOf({ workload, fileName, csv }: HintedRow): string {
  const command = `sluice try ${fileName === undefined ? 'FILE' : shellFile(fileName)} --workload ${workload}`;
  // Of several columns it names those that may be meant by another name.
  if (csv === undefined || csv.columns > 1) return command;
  return `${command} --delimiter ${csv.delimiter === ',' ? 'semicolon' : 'comma'}`;
}
