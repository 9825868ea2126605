/** Ways of an upload: in a request and if need be by the inbox, or by one of them alone. */
export const WAYS = ['auto', 'http', 'inbox'] as const;
