import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../../../tools/api/generated-files.ts';

const ROOT = new URL('../../../../', import.meta.url);

it.each(Object.entries(generatedFiles()))('%s is what npm run generate writes', (path, text) => {
  expect(readFileSync(new URL(path, ROOT), 'utf8')).toBe(text);
});
