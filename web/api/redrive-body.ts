/** Builds the body of a redrive as text. Parsing items would lose digits of their numbers. */

/** Selects dead letters of a batch; without any of the fields, all of them. */
export interface LetterChoice {
  cause?: string;
  items?: readonly number[];
}

/** How the dead letters run again. Items are sent as typed, with every digit. */
export interface RedriveChoice extends LetterChoice {
  corrected?: readonly { index: number; text: string }[];
  ratePerSecond?: number | undefined;
}

/** Builds the body of a redrive. */
export function redriveBody({ corrected, ...rest }: RedriveChoice): string {
  const items = corrected?.map(({ index, text }) => `{"index":${index},"item":${text}}`);
  const fields = [
    JSON.stringify(rest).slice(1, -1),
    ...(items === undefined ? [] : [`"corrected":[${items.join(',')}]`]),
  ];
  return `{${fields.filter((field) => field !== '').join(',')}}`;
}
