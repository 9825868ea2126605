/** Builds the body of a redrive as text. Parsing items or a patch would lose digits of their numbers. */

/** Selects dead letters of a batch; without any of the fields, all of them. */
export interface LetterChoice {
  cause?: string;
  items?: readonly number[];
}

/** How the dead letters run again. Items and the patch are sent as typed, with every digit. */
export interface RedriveChoice extends LetterChoice {
  corrected?: readonly { index: number; text: string }[];
  /** A JSON Merge Patch, as JSON. */
  patch?: string | undefined;
  ratePerSecond?: number | undefined;
}

/** Builds the body of a redrive. */
export function redriveBody({ corrected, patch, ...rest }: RedriveChoice): string {
  const items = corrected?.map(({ index, text }) => `{"index":${index},"item":${text}}`);
  const fields = [
    JSON.stringify(rest).slice(1, -1),
    ...(items === undefined ? [] : [`"corrected":[${items.join(',')}]`]),
    ...(patch === undefined ? [] : [`"patch":${patch}`]),
  ];
  return `{${fields.filter((field) => field !== '').join(',')}}`;
}
