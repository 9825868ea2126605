import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * The locations in Debian, Ubuntu and the runners of GitHub. No browser is downloaded: playwright-core contains none.
 */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of the browser to test with, or undefined. */
export const findChromium = (): string | undefined => PLACES.find((path) => existsSync(path));

/** Containers have neither a sandbox nor a GPU, and a test must not wait for background work of the browser. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium without a window, with a new profile that is removed at the end. */
export function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(`Expected Chromium at one of ${PLACES.join(', ')}.`);
  return chromium.launch({ executablePath, headless: true, args: ARGUMENTS });
}
