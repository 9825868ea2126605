import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { ROOT } from '../../../demo/root.ts';
import { apiOf, startStack, type TestStack, type TestStackOptions } from '../../helpers/stack.ts';
import { startChromium } from './chromium.ts';

/** Every run writes a picture of each page here; git ignores the directory. */
export const SCREENSHOTS = join(ROOT, '.sluice/screenshots');

/** The facts about a running stack that one process can pass to another. */
export type SharedStack = Pick<TestStack, 'url' | 'keys' | 'storage'>;
type Stack = SharedStack & Pick<TestStack, 'api'>;

/** The dashboard in a real browser, on a whole local stack. */
export interface Dashboard {
  stack: Stack;
  /** Opens a new tab. The key is already stored unless `key` is empty. `path` is the part behind `#/`. */
  open(path?: string, options?: OpenOptions): Promise<Page>;
  /** Faults that must not happen in any tab: script errors, violations of the policy, requests to other origins. */
  faults: string[];
  /** A picture of the whole page, or only of the visible part. */
  shot(page: Page, name: string, options?: { fullPage: boolean }): Promise<void>;
  closeTabs(): Promise<void>;
  stop(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  key?: string;
}

/** Starts stack and browser. */
export async function startDashboard(options: TestStackOptions): Promise<Dashboard> {
  const [stack, browser] = await Promise.all([startStack(options), startChromium()]);
  return inBrowser(browser, stack, () => stack.stop());
}

/** Starts a browser for a running stack. */
export const openDashboard = async (stack: SharedStack): Promise<Dashboard> =>
  inBrowser(await startChromium(), { ...stack, api: apiOf(stack) }, async () => {});

async function inBrowser(browser: Browser, stack: Stack, stopStack: () => Promise<void>): Promise<Dashboard> {
  await mkdir(SCREENSHOTS, { recursive: true });
  const faults: string[] = [];
  return {
    stack,
    faults,
    open: (path, options) => openTab({ stack, browser, faults }, path, options),
    shot: async (page, name, options = { fullPage: true }) => {
      const take = () => page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), ...options });
      // The pictures are only for people; on a busy machine Chromium may fail to take the first one.
      await take().catch(take);
    },
    closeTabs: async () => {
      const contexts = browser.contexts();
      // A mocked request may be under way: without this, its handler fails when its page has gone.
      const routed = contexts.flatMap((context) => [context, ...context.pages()]);
      await Promise.all(routed.map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })));
      await Promise.all(contexts.map((context) => context.close()));
    },
    stop: async () => {
      await browser.close();
      await stopStack();
    },
  };
}

interface Parts {
  stack: Stack;
  browser: Browser;
  faults: string[];
}

async function openTab({ stack, browser, faults }: Parts, path = '', options: OpenOptions = {}): Promise<Page> {
  const { key = stack.keys.function, ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...rest });
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(`script error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/content security policy|trusted/i.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'blob:' && origin !== stack.url) faults.push(`request to ${origin}`);
  });
  await page.goto(`${stack.url}/api/dashboard${path === '' ? '' : `#/${path}`}`);
  if (key !== '') await signIn(page, key);
  return page;
}

/** Enters the key as a user does. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.keyboard.press('Enter');
}

/** Drops a file on the upload page. */
export async function dropFile(page: Page, file: { name: string; text: string }): Promise<void> {
  const transfer = await page.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(file.text)}], ${JSON.stringify(file.name)}));
      return transfer;
    })()`,
  );
  await page.dispatchEvent('.drop-zone', 'drop', { dataTransfer: transfer });
}

/** Drops a file, waits until its batch is accepted, and returns its id. */
export async function uploadByDrop(page: Page, file: { name: string; text: string }): Promise<string> {
  await page.getByLabel('Lane').locator('option', { hasText: 'bulk' }).waitFor({ state: 'attached' });
  await dropFile(page, file);
  const row = page.locator('.uploads li', { hasText: file.name });
  await row.getByRole('button', { name: 'Send' }).click({ timeout: 60_000 });
  const href = await row.getByRole('link', { name: /Open the batch/ }).getAttribute('href', { timeout: 60_000 });
  const [, id] = /#\/batches\/([0-9a-f-]{36})/.exec(href ?? '') ?? [];
  if (id === undefined) throw new Error(`Expected the upload to link to its batch, got ${href}.`);
  return id;
}
