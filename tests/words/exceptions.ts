/** Places where the wording is right: quotations, and terms of others. */
export const EXCEPTIONS: readonly { file: string; text: string }[] = [];
