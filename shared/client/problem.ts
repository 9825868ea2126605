/** Problem documents (RFC 9457), as clients read them. */

/** A place in an upload, 1-based. */
export interface Place {
  line: number;
  /** Absent if only the line is known. */
  column?: number;
  message: string;
}

/** The parts of a problem document. Each may be absent, because a proxy may have answered in another format. */
export interface ProblemFacts {
  type?: string;
  title?: string;
  detail?: string;
  instance?: string;
  errors?: Place[];
}

/** An answer that is not a success. */
export interface Refusal {
  status: number;
  text: string;
  /** The header Retry-After, in seconds. */
  retryAfter?: string | undefined;
}

/** The app refused the request or failed. The message contains title, detail and places. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly status: number;
  readonly kind: string | undefined;
  readonly facts: ProblemFacts;
  readonly retryAfterSeconds: number | undefined;
  constructor({ status, text, retryAfter }: Refusal) {
    const facts = readProblem(text);
    super(problemText({ status, text }, facts));
    this.status = status;
    this.kind = kindOf(facts);
    this.facts = facts;
    this.retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
  }
}

/** Reads a problem document; empty if the text is none. */
export function readProblem(text: string): ProblemFacts {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Returns the last part of the type, such as `too-large`; undefined if the answer was not a problem document. */
export const kindOf = ({ type }: ProblemFacts): string | undefined => type?.split('/').at(-1);

const MAX_FOREIGN_TEXT = 300;

/** Describes a problem: title, status and kind; the detail; and the places in the upload that it does not contain. */
export function problemText({ status, text }: Refusal, facts: ProblemFacts): string {
  const { title, detail, errors = [] } = facts;
  if (status === 401 && title === undefined) return 'The app does not accept the key (401).';
  if (title === undefined && detail === undefined)
    return `The app answered ${status}${text.trim() === '' ? '' : `: ${text.trim().slice(0, MAX_FOREIGN_TEXT)}`}`;
  const head = `${title ?? 'The app refused'} (${[status, kindOf(facts)].filter(Boolean).join(' ')})`;
  // The detail already contains a single fault with its place.
  const places = errors.filter(({ message }) => errors.length > 1 || !detail?.includes(message));
  return [
    head,
    ...(detail === undefined ? [] : [`  ${detail}`]),
    ...places.map((at) => `  ${placeText(at)}: ${at.message}`),
  ].join('\n');
}

/** Describes a place in an upload. */
export const placeText = ({ line, column }: { line: number; column?: number | undefined }): string =>
  column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
