/** Limits of a CSV header. Each row repeats its names, and the work per row grows with their levels. */

export interface HeaderFault {
  index: number;
  message: string;
}

/** Maximum number of columns: that of an Excel sheet. */
const MAX_COLUMNS = 16_384;
/** Maximum levels of objects that a name creates: work per row grows with them. Names of real files have up to five. */
const MAX_NAME_LEVELS = 16;
/** Maximum length of a name in UTF-16 units: each row repeats it as JSON. Questions of a survey have up to a few hundred. */
const MAX_NAME_LENGTH = 1_024;
/** Maximum levels and UTF-16 units of all names together: four levels and 64 characters in each column of an Excel sheet. */
const MAX_HEADER_LEVELS = 4 * MAX_COLUMNS;
const MAX_HEADER_LENGTH = 64 * MAX_COLUMNS;

/** Returns the first fault of a header that exceeds a limit. Call it before names are matched, and after they were renamed. */
export function findOversized(
  names: readonly string[],
  pathOf: (name: string) => readonly string[],
): HeaderFault | undefined {
  if (names.length > MAX_COLUMNS) return { index: MAX_COLUMNS, message: `The header has over ${MAX_COLUMNS} columns.` };
  let [length, levels] = [0, 0];
  for (const [index, name] of names.entries()) {
    if (name.length > MAX_NAME_LENGTH) return { index, message: `The name has over ${MAX_NAME_LENGTH} characters.` };
    const steps = pathOf(name).length;
    if (steps > MAX_NAME_LEVELS) return { index, message: `The name has over ${MAX_NAME_LEVELS} levels.` };
    length += name.length;
    levels += steps;
    if (length > MAX_HEADER_LENGTH)
      return { index, message: `The names of the header have over ${MAX_HEADER_LENGTH} characters.` };
    if (levels > MAX_HEADER_LEVELS)
      return { index, message: `The names of the header have over ${MAX_HEADER_LEVELS} levels in total.` };
  }
  return undefined;
}
