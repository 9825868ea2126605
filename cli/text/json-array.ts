/** Converts pages of NDJSON to one JSON array as a stream: no page is held in memory. The headers of the pages are kept. */
export async function* toJsonArray(pages: AsyncIterable<Response>): AsyncGenerator<Response> {
  let before = '[\n';
  for await (const { body, headers } of pages) {
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      const encoder = new TextEncoder();
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        for (const piece of text.split(/(\n)/)) {
          if (piece === '\n') before = before === '' ? ',\n' : before;
          else if (piece !== '') {
            yield encoder.encode(before + piece);
            before = '';
          }
        }
      }
      // The end of a page ends a line, even if its last line break is missing.
      if (before === '') before = ',\n';
    };
    yield new Response(ReadableStream.from(pieces()), { headers });
  }
  yield new Response(before === '[\n' ? '[]\n' : '\n]\n');
}
