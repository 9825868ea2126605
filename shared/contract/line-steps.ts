/**
 * The distances between the lines on which consecutive items begin, run-length encoded: pairs of numbers [count, step],
 * such as [4999, 1] for 5,000 lines of plain NDJSON. A redrive encodes the distances between its items in the same way. They are
 * kept as bytes, not as an array of pairs: with a blank line after every second record there is a pair per item, and each pair of
 * an array needs 60 bytes of memory.
 */
import { VarintReader, VarintWriter } from './varint.ts';

export type LineSteps = Uint8Array;

/** Encodes the distances of a chunk while its items arrive. */
export class LineStepsWriter {
  readonly #writer = new VarintWriter();
  #count = 0;
  #step = 0;

  add(step: number, count = 1): void {
    if (step !== this.#step) this.#endRun();
    this.#step = step;
    this.#count += count;
  }

  /** Returns all distances. Call it once, at the end. */
  end(): LineSteps {
    this.#endRun();
    return this.#writer.bytes();
  }

  #endRun(): void {
    if (this.#count > 0) this.#writer.write(this.#count).write(this.#step);
    this.#count = 0;
  }
}

/** Yields the runs of encoded distances. */
export function* runsOf(steps: LineSteps): Generator<[count: number, step: number]> {
  const reader = new VarintReader(steps);
  while (!reader.isAtEnd) yield [reader.read(), reader.read()];
}
