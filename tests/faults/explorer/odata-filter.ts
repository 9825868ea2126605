const CONDITION = /(\w+) (eq|ge|gt|le|lt) (?:'((?:[^']|'')*)'|(\d+)L)/g;

/**
 * Compiles a filter of `and`, `or` and brackets over comparisons with texts and Int64. The comparisons are evaluated first, then the Boolean
 * expression.
 */
export function filterOf(filter: string): (entity: Record<string, unknown>) => boolean {
  return (entity) => {
    const text = filter.replaceAll(
      CONDITION,
      (_all, name: string, operator: string, literal?: string, int64?: string) => {
        const value = entity[columnOf(name)];
        return String(
          literal === undefined
            ? compare(Number(value ?? Number.NaN), operator, Number(int64))
            : compare(String(value ?? ''), operator, literal.replaceAll("''", "'")),
        );
      },
    );
    return truth(text);
  };
}

/** The SDK returns the two keys in lower case; filters use the names of the service. */
const columnOf = (name: string): string =>
  name.replace(/^(Partition|Row)Key$/, (key) => key.charAt(0).toLowerCase() + key.slice(1));

function compare<T extends string | number>(left: T, operator: string, right: T): boolean {
  if (operator === 'eq') return left === right;
  if (operator === 'ge') return left >= right;
  if (operator === 'gt') return left > right;
  return operator === 'le' ? left <= right : left < right;
}

/** Evaluates `true and (false or true)` from the innermost brackets outwards. */
function truth(text: string): boolean {
  for (let rest = text; ; ) {
    const next = rest
      .replaceAll(/\((true|false)\)/g, '$1')
      .replace(/(true|false) and (true|false)/, (_all, a: string, b: string) => String(a === 'true' && b === 'true'))
      .replace(/(?<!and )(true|false) or (true|false)(?! and)/, (_all, a: string, b: string) =>
        String(a === 'true' || b === 'true'),
      );
    if (next === rest) {
      if (rest !== 'true' && rest !== 'false') throw new Error(`Not a filter that this stub understands: ${text}`);
      return rest === 'true';
    }
    rest = next;
  }
}
