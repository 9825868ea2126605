/** Places where the wording is right: quotations, and terms of others. */
export const EXCEPTIONS: readonly { file: string; text: string }[] = [
  // Retired names, which the product must no longer have.
  { file: 'tests/unit/infra/glossary.test.ts', text: 'tally' },
  { file: 'tests/unit/infra/glossary.test.ts', text: 'lessons' },
  { file: 'tests/unit/infra/glossary.test.ts', text: 'fate' },
  { file: 'tests/unit/infra/glossary.test.ts', text: 'fates' },
];
