/** A file cannot be converted. `hint` says what its owner can do. */
export class ConversionError extends Error {
  override name = 'ConversionError';
  readonly hint: string | undefined;
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
  }
}
