import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Loads axe-core into a page. The page must be opened with `bypassCSP`, because its policy would refuse the script. */
export const loadAxe = async (page: Page): Promise<unknown> => page.evaluate(await readFile(AXE, 'utf8'));

/** Returns the violations on a page with axe-core, as rule and element. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${target}`));
}
