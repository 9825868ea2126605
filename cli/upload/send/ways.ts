/** The ways of an upload: `auto` uses a request, and the inbox if the upload is too large. */
export const WAYS = ['auto', 'http', 'inbox'] as const;
