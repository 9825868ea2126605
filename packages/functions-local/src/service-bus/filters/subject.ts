/**
 * A value that a filter compares. Null represents a property that is missing, null, or of a type that filters do not support.
 */
export type FilterValue = string | number | boolean | Date | null;

/** The properties that filters can read in the scope `sys.`. In lower case, because filters compare names without case. */
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

/** The lower-case name of a property in the scope `sys.`. */
export type SystemProperty = (typeof systemProperties)[number];

/** The part of a message that filters can read. */
export interface FilterSubject {
  readonly system: Readonly<Record<SystemProperty, FilterValue>>;
  /** Application properties by lower-case name. */
  readonly application: ReadonlyMap<string, FilterValue>;
}

/** Returns whether a message matches. */
export type Predicate = (subject: FilterSubject) => boolean;

/** Returns the system property with this name in any case, or undefined. `Subject` is the newer name of `Label`. */
export function toSystemProperty(name: string): SystemProperty | undefined {
  const lower = name.toLowerCase();
  const known = lower === 'subject' ? 'label' : lower;
  return systemProperties.find((property) => property === known);
}
