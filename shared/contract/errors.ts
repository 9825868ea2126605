/** A stored frame is not what its reference promised. The chunk it belongs to cannot be processed. */
export class FrameError extends Error {
  override name = 'FrameError';
}

/** A message of a contract version newer than this code: leave it for a newer consumer and charge nothing. */
export class NewerContractError extends Error {
  override name = 'NewerContractError';
  readonly version: unknown;
  constructor(what: string, version: unknown, newest = 1) {
    super(`${what} has contract version ${String(version)}; this code reads up to version ${newest}.`);
    this.version = version;
  }
}

/** A message that is not of its contract: it can never be read, by nobody. */
export class MalformedMessageError extends Error {
  override name = 'MalformedMessageError';
}
