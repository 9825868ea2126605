/** Texts and names of a sample, as source text. */

/** A text of the sample in quotes, for a comment: what ends a line in the text must not end the comment. */
export const quoted = (text: string): string => JSON.stringify(text).replaceAll(/[\u2028\u2029]/g, ' ');

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** A name as the key of an object literal; `__proto__` would set the prototype. */
export const propertyName = (name: string): string =>
  name === '__proto__' ? '["__proto__"]' : IDENTIFIER.test(name) ? name : JSON.stringify(name);

/** An access to the property `name` of `object`. */
export const access = (object: string, name: string): string =>
  IDENTIFIER.test(name) ? `${object}.${name}` : `${object}[${JSON.stringify(name)}]`;
