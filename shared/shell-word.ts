/** Returns a word of a POSIX command line, quoted if a shell would not read it as one word. */
export const shellWord = (word: string): string =>
  /^[\p{L}\p{N}_=.,:/@%+-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Returns a file name as an argument: `./` before a leading dash, so that it is no option. `-` alone is standard input. */
export const shellFile = (file: string): string => shellWord(file.startsWith('-') && file !== '-' ? `./${file}` : file);
