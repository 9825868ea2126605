/** Places where the wording is right: quotations, and terms of others. */
export const EXCEPTIONS: readonly { file: string; text: string }[] = [
  // The old name of an attribute that was renamed.
  { file: 'CHANGELOG.md', text: 'fate' },
];
