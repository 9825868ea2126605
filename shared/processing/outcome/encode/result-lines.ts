const FIRST_CAPACITY = 64 * 1_024;
/** Maximum size of memory that is kept: more than the results of an ordinary chunk need. */
const MAX_KEPT_BYTES = 8 * 1_024 * 1_024;
/** Further results stay as text in the heap, which has a limit: endless results must end their thread, not the process. */
const MAX_BYTES = 32 * 1_024 * 1_024;
/** Maximum number of bytes of UTF-8 per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;
const NEWLINE = 10;

/** The memory of a finished run, for the next one: separate memory would outlive the young generation. */
let spare: Buffer | undefined;

/** The result lines of one run, as stored bytes: strings would be copied twice by the garbage collector. */
export class ResultLines {
  items = 0;
  #bytes: Buffer;
  #end = 0;
  /** Where the line of each slot starts, and its length without the newline; 0 if there is no result. */
  readonly #starts: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #texts = new Map<number, string>();
  #lastSlot = -1;
  /** Whether results have been added in the order of the slots, as those of a synchronous handler are. */
  #isInOrder = true;

  /** Creates the lines for slots from 0 to `slots` - 1. */
  constructor(slots: number) {
    this.#bytes = spare ?? Buffer.allocUnsafeSlow(FIRST_CAPACITY);
    spare = undefined;
    this.#starts = new Uint32Array(slots);
    this.#lengths = new Uint32Array(slots);
  }

  has(slot: number): boolean {
    return this.#lengths[slot] !== 0;
  }

  /** Adds the result of a slot that has none. */
  add(slot: number, json: string): void {
    this.items += 1;
    const end = this.#end + json.length * MAX_BYTES_PER_UNIT + 1;
    if (end > MAX_BYTES) {
      this.#texts.set(slot, json);
      this.#lengths[slot] = Buffer.byteLength(json);
      return;
    }
    this.#makeRoom(end);
    const start = this.#end;
    const length = this.#bytes.write(json, start);
    this.#bytes[start + length] = NEWLINE;
    this.#starts[slot] = start;
    this.#lengths[slot] = length;
    this.#end = start + length + 1;
    this.#isInOrder &&= slot > this.#lastSlot;
    this.#lastSlot = slot;
  }

  /** Returns the line of a slot, without its newline; valid until the next `add` or `release`. */
  at(slot: number): Buffer {
    const text = this.#texts.get(slot);
    if (text !== undefined) return Buffer.from(text);
    const start = this.#starts[slot] ?? 0;
    return this.#bytes.subarray(start, start + (this.#lengths[slot] ?? 0));
  }

  /** Returns all lines in the order of the slots, each with its newline; valid until the next `add` or `release`. */
  inOrder(): Buffer {
    if (this.#isInOrder && this.#texts.size === 0) return this.#bytes.subarray(0, this.#end);
    const all = Buffer.allocUnsafeSlow(this.#lengths.reduce((sum, length) => sum + length, this.items));
    let end = 0;
    for (const [slot, length] of this.#lengths.entries()) {
      if (length === 0) continue;
      end += this.at(slot).copy(all, end);
      all[end] = NEWLINE;
      end += 1;
    }
    return all;
  }

  /** Releases the memory for the next run. Nothing of this run may be read afterwards. */
  release(): void {
    if (this.#bytes.length <= MAX_KEPT_BYTES) spare = this.#bytes;
    this.#bytes = NOTHING;
  }

  #makeRoom(end: number): void {
    if (end <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, end));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

const NOTHING = Buffer.alloc(0);
