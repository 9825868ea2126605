/** Returns the id after which a further page of batches begins. */
export const afterOf = (next: string | undefined): string | undefined =>
  new URLSearchParams(next?.split('?')[1]).get('after') ?? undefined;
