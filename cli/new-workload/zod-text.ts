import type { Field, Guess } from '../../shared/workload/types/guess.ts';
import { DATE_TIMES } from '../../shared/workload/types/guess-text.ts';
import { commentText, propertyName } from './source-text.ts';

function timeText(format: string): string {
  const options = Object.keys(DATE_TIMES[format] ?? {}).map((name) => `${name}: true`);
  if (format === 'date') return 'z.iso.date()';
  return `z.iso.datetime(${options.length === 0 ? '' : `{ ${options.join(', ')} }`})`;
}

/** Expressions by the name of a type in JSON Schema. */
const SIMPLE: Readonly<Record<string, string>> = {
  ...{ string: 'z.string()', integer: 'z.int()', number: 'z.number()', boolean: 'z.boolean()' },
};

/** Returns the source text of the zod schema of a guess, with its notes as comments. */
export function zodText({ type, json, fields = [], element, isNullable }: Guess): string {
  const inner = element === undefined ? 'z.unknown()' : zodText(element);
  const text = {
    ...{ text: SIMPLE.string, integer: SIMPLE.integer, number: SIMPLE.number, boolean: SIMPLE.boolean },
    enum: `z.enum(${JSON.stringify(json.enum)})`,
    time: timeText(String(json.format)),
    object: `z.object({\n${fields.map(fieldText).join('\n')}\n})`,
    array: `z.array(${inner})`,
    map: `z.record(z.string(), ${inner})`,
    mixed: `z.union([${[json.type]
      .flat()
      .map((name) => SIMPLE[String(name)])
      .join(', ')}])`,
    unknown: 'z.unknown()',
  }[type];
  return `${text}${isNullable ? '.nullable()' : ''}`;
}

const fieldText = ({ name, note, isOptional, ...guess }: Field): string =>
  `${commentText(note)}${propertyName(name)}: ${zodText(guess)}${isOptional ? '.optional()' : ''},`;
