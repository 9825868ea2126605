/**
 * Maximum number of messages per receive. Source: Microsoft Learn, get-messages. This file has no imports because the
 * dashboard plans with it, too.
 */
export const MAX_RECEIVE = 32;
