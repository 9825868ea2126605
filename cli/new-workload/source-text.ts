/** Converts texts and names of a sample into source text. */

/** Quotes a text of the sample for a comment: a line terminator in the text must not end the comment. */
export const quoted = (text: string): string => JSON.stringify(text).replaceAll(/[\u2028\u2029]/g, ' ');

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Returns a name as the key of an object literal. A plain `__proto__` would set the prototype. */
export const propertyName = (name: string): string =>
  name === '__proto__' ? '["__proto__"]' : IDENTIFIER.test(name) ? name : JSON.stringify(name);

/** Returns an expression that reads the property `name` of `object`. */
export const access = (object: string, name: string): string =>
  IDENTIFIER.test(name) ? `${object}.${name}` : `${object}[${JSON.stringify(name)}]`;
