/** Converts texts and names of a sample into source text. */

/** Quotes a text of the sample for a comment. */
export const quoted = (text: string): string => withoutLineEnds(JSON.stringify(text));

/** Returns a comment with its line end; empty without a text. */
export const commentText = (text: string | undefined): string => (text ? `// ${withoutLineEnds(text)}\n` : '');

/** A line terminator in a text of the sample must not end the comment. */
const withoutLineEnds = (text: string): string => text.replaceAll(/[\n\r\u2028\u2029]/g, ' ');

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Returns a name as the key of an object literal. A plain `__proto__` would set the prototype. */
export const propertyName = (name: string): string =>
  name === '__proto__' ? '["__proto__"]' : IDENTIFIER.test(name) ? name : JSON.stringify(name);

/** Returns an expression that reads the property `name` of `object`. */
export const access = (object: string, name: string): string =>
  IDENTIFIER.test(name) ? `${object}.${name}` : `${object}[${JSON.stringify(name)}]`;
