/** Limits of Queue Storage that the service documents. Without imports, because the dashboard plans with them, too. */

/** Maximum number of messages per receive. Source: Microsoft Learn, get-messages. */
export const MAX_RECEIVE = 32;

/**
 * Maximum time for which a message is hidden, and therefore the maximum delay of a retry. Source: Microsoft Learn,
 * put-message.
 */
export const MAX_DELAY_SECONDS = 7 * 86_400;
