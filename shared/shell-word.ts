/** A word of a POSIX command line, in quotes where a shell would not take it as one word. */
export const shellWord = (word: string): string =>
  /^[\p{L}\p{N}_=.,:/@%+-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A file as an argument: one that begins with a dash is no option behind `./`, and `-` is standard input. */
export const shellFile = (file: string): string => shellWord(file.startsWith('-') && file !== '-' ? `./${file}` : file);
