/** The body of a redrive, as text: parsing items or a patch would lose digits of their numbers. */

/** Which dead letters of a batch; with none of the fields, all. */
export interface LetterChoice {
  cause?: string;
  items?: readonly number[];
}

/** How they run again. Texts of items and of the patch are sent as they were typed, with every digit. */
export interface RedriveChoice extends LetterChoice {
  corrected?: readonly { index: number; text: string }[];
  /** A JSON Merge Patch, as JSON. */
  patch?: string | undefined;
  ratePerSecond?: number | undefined;
}

/** The body of a redrive. */
export function redriveBody({ corrected, patch, ...rest }: RedriveChoice): string {
  const items = corrected?.map(({ index, text }) => `{"index":${index},"item":${text}}`);
  const fields = [
    JSON.stringify(rest).slice(1, -1),
    ...(items === undefined ? [] : [`"corrected":[${items.join(',')}]`]),
    ...(patch === undefined ? [] : [`"patch":${patch}`]),
  ];
  return `{${fields.filter((field) => field !== '').join(',')}}`;
}
