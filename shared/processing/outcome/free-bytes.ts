/**
 * Frees bytes now that nobody reads any more, instead of at some later garbage collection: buffers lie outside of the heap,
 * and V8 lets 64 MB of them come together before it collects for them alone. Afterwards the array is empty. A slice of a
 * larger buffer stays as it is.
 */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
