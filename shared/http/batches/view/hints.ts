/** Advice about items that violate the schema, as text and as a command. */
import { type BatchRow, SUSPECT_ITEMS } from '../../../batches/batch-row.ts';
import { delimiterName } from '../../../contract/upload-kinds.ts';
import { shellFile } from '../../../shell-word.ts';

type HintedRow = Pick<BatchRow, 'workload' | 'fileName' | 'csv'>;
type JudgedRow = Pick<BatchRow, 'earlier' | 'revision' | 'revisionItems' | 'discardReason'>;

const CELLS_ARE_TEXT =
  'All cells of this CSV upload are text, because the schema of the workload provides no JSON Schema for a conversion. An item' +
  ' that requires a number or a boolean is invalid.';

/** Returns the likely cause of dead letters, if the properties of the upload suggest one. */
export const deadLetterHint = ({ csv, dead }: Pick<BatchRow, 'csv' | 'dead'>): string | undefined =>
  dead > 0 && csv?.cells === 'text' ? CELLS_ARE_TEXT : undefined;

/**
 * Returns what was found in a suspect batch, in which none of the first items matches the schema, what to check, and the
 * command that shows why.
 */
export function suspectHint(row: HintedRow & JudgedRow): { verdict: string; hint: string; command: string } {
  return { verdict: verdictOf(row), hint: likelyCause(row), command: commandOf(row) };
}

/** A discard or a redrive of only the report runs no items, so the verdict is that of an earlier revision. */
function verdictOf({ earlier, revisionItems, ...present }: JudgedRow): string {
  const ran = [...earlier, { ...present, items: revisionItems }].findLast(
    ({ items, discardReason }) => items > 0 && discardReason === undefined,
  );
  const first = (ran?.items ?? 0) > SUSPECT_ITEMS ? `first ${SUSPECT_ITEMS.toLocaleString('en-US')} ` : '';
  const items = (ran?.revision ?? 0) > 0 ? 'redriven items' : 'items';
  return `None of the ${first}${items} is valid. The file or the schema is probably wrong.`;
}

function likelyCause({ csv }: HintedRow): string {
  if (csv === undefined)
    return 'Check the first records with the command, then correct the file and submit it again, or deploy a corrected workload and redrive.';
  if (csv.columns === 1)
    return `The CSV was read as one column, with ${delimiterName(csv.delimiter)} as the delimiter. Another delimiter may be correct.`;
  if (csv.cells === 'text') return CELLS_ARE_TEXT;
  return 'The names of its columns may differ from the fields of the schema: --rename changes the name of a column.';
}

/** Only the name of the file is known here, not its path on the user's machine. */
function commandOf({ workload, fileName, csv }: HintedRow): string {
  const command = `sluice try ${fileName === undefined ? 'FILE' : shellFile(fileName)} --workload ${workload}`;
  // With several columns, the output of the command suggests renames.
  if (csv === undefined || csv.columns > 1) return command;
  return `${command} --delimiter ${csv.delimiter === ',' ? 'semicolon' : 'comma'}`;
}
