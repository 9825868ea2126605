import type { Page } from 'playwright-core';

/** Widths of the window at which everything must be inside its panel. */
export const WIDTHS = [360, 768, 900, 1024, 1152, 1440];

/**
 * Evaluated in the page. Returns the text of every control that is not completely visible. A control must be inside its
 * panel, inside the window, and inside every element that clips or scrolls, and nothing may cover its middle.
 */
const outside = `[...document.querySelectorAll(':is(main, nav) :is(button, a, input, select, textarea)')].filter((each) => {
  const own = each.getBoundingClientRect();
  if (own.width <= 1) return false;
  if (own.left < 0 || own.right > innerWidth) return true;
  const [line] = each.getClientRects();
  const top = document.elementFromPoint((line.left + line.right) / 2, (line.top + line.bottom) / 2);
  if (!each.contains(top)) return true;
  for (let at = each.parentElement; at && at.localName !== 'main'; at = at.parentElement) {
    const clips = getComputedStyle(at).overflowX !== 'visible';
    if (!clips && !at.matches('.panel, .stats, .chart, .empty')) continue;
    const box = at.getBoundingClientRect();
    if (own.left < box.left - 0.5 || own.right > box.right + 0.5) return true;
    if (own.top < box.top - 0.5 || own.bottom > box.bottom + 0.5) return true;
  }
  return false;
}).map((each) => each.localName + ': ' + (each.innerText || each.name || each.ariaLabel))`;

/** Returns the controls of a page that are cut off, covered, or outside their panel at a width of the window. */
export async function hiddenControls(page: Page, width: number): Promise<unknown> {
  // As high as the page, because covering elements cannot be determined below the window.
  await page.setViewportSize({ width, height: 6_000 });
  return page.evaluate(outside);
}
