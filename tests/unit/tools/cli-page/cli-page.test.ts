import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { cliPage, PAGE } from '../../../../tools/cli-page/cli-page.ts';

test('the page has the present help of all commands: npm run generate writes it', async () => {
  const page = await readFile(PAGE, 'utf8');

  expect(cliPage(page)).toBe(page);
});

test('each command has an example', async () => {
  const sections = (await readFile(PAGE, 'utf8')).split(/^### /m).slice(1);

  expect(sections.filter((section) => !/^Examples?:$/m.test(section))).toEqual([]);
});

test('a page without the marker is refused', () => {
  expect(() => cliPage('# The sluice command\n')).toThrow('has no line');
});
