import type { HttpRequest } from '@azure/functions';
import { ClientGoneError } from '../errors.ts';

/**
 * The body of a request as it comes in; none is empty.
 * @throws ClientGoneError when it breaks off: it comes from the client alone, so nothing else can make it fail.
 */
export async function* requestBody(request: HttpRequest): AsyncGenerator<Uint8Array> {
  try {
    yield* (request.body ?? []) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new ClientGoneError('The client broke off its request.', { cause });
  }
}
