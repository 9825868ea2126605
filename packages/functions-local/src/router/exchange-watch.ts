/** How a request begins; bodies are not looked into further than this. */
const REQUEST = /^[A-Z]{3,7} \//;
const INTERIM = 'HTTP/1.1 100';
const LONGEST_INTERIM_BYTES = 64;

/** Knows from the bytes of a connection whether a request waits for the begin of its answer. */
export class ExchangeWatch {
  #isUnanswered = false;
  #isFirst = true;

  /** A request was sent, and nothing of its answer has come. */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  /** Takes what the client sent; true when a request begins. Clients send the head of a request in one piece. */
  sent(chunk: Buffer): boolean {
    const begins = this.#isFirst || REQUEST.test(chunk.toString('latin1', 0, 9));
    this.#isFirst = false;
    if (begins) this.#isUnanswered = true;
    return begins;
  }

  /** Takes what the instance sent. */
  received(chunk: Buffer): void {
    const isInterim = chunk.length < LONGEST_INTERIM_BYTES && chunk.toString('latin1', 0, INTERIM.length) === INTERIM;
    if (!isInterim) this.#isUnanswered = false;
  }
}
