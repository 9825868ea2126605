/** Places where the wording is right: quotations, and terms of others. */
export const EXCEPTIONS: readonly { file: string; text: string }[] = [
  // The old name of an attribute that was renamed.
  { file: 'CHANGELOG.md', text: 'fate' },
  // Retired names, which the product must no longer have.
  { file: 'tests/unit/docs/glossary.test.ts', text: 'tally' },
  { file: 'tests/unit/docs/glossary.test.ts', text: 'lessons' },
  { file: 'tests/unit/docs/glossary.test.ts', text: 'fate' },
  { file: 'tests/unit/docs/glossary.test.ts', text: 'fates' },
];
