/** The start of a request. The watch does not parse bodies. */
const REQUEST = /^[A-Z]{3,7} \//;
const INTERIM = 'HTTP/1.1 100';
const LONGEST_INTERIM_BYTES = 64;

/** Determines from the bytes of a connection whether a request waits for the start of its answer. */
export class ExchangeWatch {
  #isUnanswered = false;
  #isFirst = true;

  /** Whether a request was sent and no byte of its answer was received. */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  /** Processes bytes from the client. Returns whether a request starts. Clients send the head of a request in one piece. */
  sent(chunk: Buffer): boolean {
    const begins = this.#isFirst || REQUEST.test(chunk.toString('latin1', 0, 9));
    this.#isFirst = false;
    if (begins) this.#isUnanswered = true;
    return begins;
  }

  /** Processes bytes from the instance. */
  received(chunk: Buffer): void {
    const isInterim = chunk.length < LONGEST_INTERIM_BYTES && chunk.toString('latin1', 0, INTERIM.length) === INTERIM;
    if (!isInterim) this.#isUnanswered = false;
  }
}
