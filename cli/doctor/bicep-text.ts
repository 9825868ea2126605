/** Reads declarations of Bicep from their text. The compiler checks the rest. */

/** Returns the text between the braces that follow a pattern, which ends before them; undefined without a match. */
export function blockAfter(text: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(text);
  const start = match === null ? -1 : text.indexOf('{', match.index + match[0].length) + 1;
  if (start < 1) return undefined;
  let depth = 1;
  let end = start;
  for (; end < text.length && depth > 0; end++) depth += text[end] === '{' ? 1 : text[end] === '}' ? -1 : 0;
  return text.slice(start, end - 1);
}

/** Returns the keys of an object, without those of objects in it. `block` is the text between its braces. */
export function keysOf(block: string): string[] {
  let flat = block.replaceAll(/(?<=^|\s)\/\/.*$/gm, '').replaceAll(/'(?:[^'\\\n]|\\.)*'(?!:)/g, '');
  for (let before = ''; before !== flat; ) {
    before = flat;
    flat = flat.replaceAll(/\{[^{}]*\}|\[[^[\]]*\]|\([^()]*\)/g, '');
  }
  return [...flat.matchAll(/(?<=^|[\n,])\s*'?(\w+)'?:/g)].map(([, key = '']) => key);
}

/** Returns the parameters of a template, and whether each must be given. */
export const parametersOf = (template: string): { name: string; isRequired: boolean }[] =>
  [...template.matchAll(/^param (\w+) ([^\n=]*)(=?)/gm)].map(([, name = '', type = '', value]) => ({
    name,
    isRequired: value === '' && !type.trimEnd().endsWith('?'),
  }));
