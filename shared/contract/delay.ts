/**
 * Maximum time for which Queue Storage hides a message, and therefore the maximum delay of a retry. Source: Microsoft Learn,
 * put-message.
 */
export const MAX_DELAY_SECONDS = 7 * 86_400;
