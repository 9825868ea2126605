/** Wording that is hard to read, and its replacement. */
export interface Pattern {
  /** Global and case-insensitive. */
  regex: RegExp;
  instead: string;
}

const COUNTED =
  'batch|chunk|item|key|queue|lane|wave|slice|round|receive|drain|task|activity|reference|message|event|request|call|' +
  'row|blob|file|block|line|page|column|field|workload|pool|app|process|instance|thread|core|worker|test|run|million|' +
  'release|deployment|upload|revision|wake|look|operation|transaction';
const NUMBER = 'one|two|three|four|five|six|eight|ten|[0-9]+(?:[.,][0-9]+)*|once|twice|some|few';
const NO_NOUN =
  'a|an|of|in|from|to|for|with|is|are|as|by|at|on|than|before|after|and|or|per|to|into|that|which|has|have|was|if|' +
  'while|although|without|makes|keeps|names|percent';
const PER = String.raw`\b(?:${NUMBER})(?: (?!(?:${NO_NOUN})\b)[a-z-]+)?(?<!-) an? (?:${COUNTED})\b`;

const word = (alternatives: string): RegExp => new RegExp(String.raw`\b(?:${alternatives})\b`, 'gi');

export const PATTERNS: readonly Pattern[] = [
  { regex: new RegExp(PER, 'gi'), instead: '"per": one operation per chunk' },
  {
    regex: word('tells?(?! apart)|told(?! apart)|telling(?! apart)'),
    instead: 'says, reports, shows, notifies, publishes, or passes',
  },
  { regex: word('(?<!Microsoft )learn(?:s|t|ed|ing)?(?![.:]|-azure)'), instead: 'records, reads, finds out' },
  { regex: word('(?:gives?|given|gave|giving) (?:[a-z]+ ){0,2}back'), instead: 'returns' },
  { regex: word('for ever'), instead: 'indefinitely, or always' },
  { regex: word('(?:is|are|was|were) asked(?! (?:for|to))'), instead: 'is read, is called, is queried' },
  {
    regex: word('wherefore|thereof|thereby|whence|hitherto|whither|henceforth|ere|lest|whilst|upon'),
    instead: 'plain words',
  },
  { regex: word('in vain|be it|all the same(?=[,.;:)])'), instead: 'without effect; whether; anyway' },
  { regex: word('by hand|anew|for want of|unasked'), instead: 'manually; again; without; without a request' },
  { regex: word('whoever|by whom|of whom'), instead: 'the process, the caller, the user that' },
  {
    regex: word('(?:goes|go|gone|going|went) on(?= (?:with|by|at|where|from|after|behind)| ?[.,;])'),
    instead: 'continues',
  },
  {
    regex: word('(?:comes?|came|brought|brings?) to (?:its|their) end|held up|put right'),
    instead: 'finishes; blocked; repaired',
  },
  { regex: word('lets? go|letting go'), instead: 'releases' },
  { regex: /\b(?:MOST|LEAST)_[A-Z]/g, instead: 'MAX_, MIN_' },
  { regex: word('tally|tallies|fates?|lessons?|tidings'), instead: 'counts, disposition, measurement, message' },
];
