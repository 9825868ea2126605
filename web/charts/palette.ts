/**
 * Colours of series that are also distinguishable with red-green colour blindness; each has a light and a dark value.
 */
export const SERIES = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--series-6'] as const;

/** The current value of a colour property: a canvas supports neither `var()` nor `light-dark()`. */
export function resolveColor(property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
