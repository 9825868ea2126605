const LIMIT_KB = 16;

/** Converts a custom status to JSON text. As the extension does, throws if it has 17 KiB or more in UTF-16. */
export function toCustomStatus(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  // The extension rounds down to whole KiB.
  const sizeKb = Math.floor(((text?.length ?? 0) * 2) / 1024);
  if (sizeKb <= LIMIT_KB) return text;
  throw new Error(
    `The UTF-16 size of the JSON-serialized payload must not exceed ${LIMIT_KB} KB. The current payload size is ${sizeKb} KB.`,
  );
}
