/** A stored frame does not match its reference. Its chunk cannot be processed. */
export class FrameError extends Error {
  override name = 'FrameError';
}

/** The message has a newer contract version than this code. It must be left for a newer consumer, without a charged attempt. */
export class NewerContractError extends Error {
  override name = 'NewerContractError';
  readonly version: unknown;
  constructor(what: string, version: unknown, newest = 1) {
    super(`${what} has contract version ${String(version)}; this code reads up to version ${newest}.`);
    this.version = version;
  }
}

/** The message violates its contract, so that no version of the code can read it. */
export class MalformedMessageError extends Error {
  override name = 'MalformedMessageError';
}
