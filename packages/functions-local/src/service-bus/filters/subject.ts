/** What a filter compares. Null stands for a property that is missing, null, or of a type filters do not know. */
export type FilterValue = string | number | boolean | Date | null;

/** Every property filters can read below `sys.`, lower-cased, because filters ignore the case of names. */
const systemProperties = [
  'contenttype',
  'correlationid',
  'label',
  'messageid',
  'replyto',
  'replytosessionid',
  'sessionid',
  'to',
] as const;

/** The lower-cased name of a property below `sys.`. */
export type SystemProperty = (typeof systemProperties)[number];

/** The part of a message that filters see. */
export interface FilterSubject {
  readonly system: Readonly<Record<SystemProperty, FilterValue>>;
  /** Application properties by lower-cased name. */
  readonly application: ReadonlyMap<string, FilterValue>;
}

/** Returns whether a subject passes. */
export type Predicate = (subject: FilterSubject) => boolean;

/** The system property of this name in any case, `Subject` being the newer name of `Label`; undefined for others. */
export function toSystemProperty(name: string): SystemProperty | undefined {
  const lower = name.toLowerCase();
  const known = lower === 'subject' ? 'label' : lower;
  return systemProperties.find((property) => property === known);
}
