/** The name and message of an error, as dead letters and attempts keep them. */
export interface ErrorText {
  name: string;
  message: string;
}

/** A message longer than this is cut: an error may carry a whole response body, and a chunk has thousands of items. */
export const MAX_MESSAGE_CHARS = 2_000;

/** A longer name is free text in the wrong place. */
const MAX_NAME_CHARS = 200;

/** Name and message of whatever was thrown. Never throws itself, whatever getters the thrown thing has. */
export function toErrorText(thrown: unknown): ErrorText {
  try {
    if (thrown instanceof Error)
      return { name: String(thrown.name).slice(0, MAX_NAME_CHARS), message: cut(String(thrown.message)) };
    return { name: 'Error', message: cut(String(thrown)) };
  } catch {
    return { name: 'Error', message: 'something that cannot be shown was thrown' };
  }
}

/** One line for an attempt. */
export const attemptText = ({ name, message }: ErrorText): string => `${name}: ${message}`;

const cut = (text: string): string =>
  text.length <= MAX_MESSAGE_CHARS ? text : `${text.slice(0, MAX_MESSAGE_CHARS)}… (${text.length} characters)`;

/** An item (with `mapChunk`: the chunk) overran the workload's `timeoutSeconds`. */
export class TimeoutError extends Error {
  override name = 'TimeoutError';
  constructor(timeoutMs: number) {
    super(`timed out after ${timeoutMs / 1000} s`);
  }
}

/** An item does not fit the workload's schema; the message names the paths. */
export class InvalidItem extends Error {
  override name = 'InvalidItem';
}
