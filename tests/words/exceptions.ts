/** Correct uses of flagged wording: quotations, and terms of others. */
export const EXCEPTIONS: readonly { file: string; text: string }[] = [
  // The old name of a renamed attribute.
  { file: 'CHANGELOG.md', text: 'fate' },
  // Retired names, which the product must not use again.
  { file: 'tests/unit/docs/glossary.test.ts', text: 'tally' },
  { file: 'tests/unit/docs/glossary.test.ts', text: 'lessons' },
  { file: 'tests/unit/docs/glossary.test.ts', text: 'fate' },
  { file: 'tests/unit/docs/glossary.test.ts', text: 'fates' },
];
