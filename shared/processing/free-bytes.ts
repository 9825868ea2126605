/**
 * Frees bytes that are no longer read, instead of at a later garbage collection: buffers are outside of the heap, and V8
 * lets 64 MB of them accumulate before it collects because of them. Afterwards, the array is empty. A slice of a larger
 * buffer does not change.
 */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
