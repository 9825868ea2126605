/** Colours of series, told apart also by those who see red and green alike; each has a value for light and for dark. */
export const SERIES = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--series-6'] as const;

/** The colour that a custom property comes to just now: a canvas does not know `var()` nor `light-dark()`. */
export function resolveColor(property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
