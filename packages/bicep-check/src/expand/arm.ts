/** Returns the shape of the output of `bicep build`, to compare it with the result of the expander. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Declaration, type Expression, parseDeclarations } from './parser.ts';

interface ArmResource {
  type: string;
  apiVersion: string;
  existing?: boolean;
  copy?: unknown;
  condition?: unknown;
  properties?: { template?: ArmTemplate };
}
export interface ArmTemplate {
  /** An array, or an object by symbolic name if the template uses newer features of the language. */
  resources: ArmResource[] | Record<string, ArmResource>;
}
const DEPLOYMENT = 'Microsoft.Resources/deployments';

const shape = (reference: string, repeated: boolean, conditional: boolean): string =>
  [reference, ...(repeated ? ['copy'] : []), ...(conditional ? ['condition'] : [])].join(' ');

/** Returns the declarations of a template, including nested ones: type and version with `copy` and `condition`. */
export function armShapes({ resources }: ArmTemplate): string[] {
  return Object.values(resources)
    .filter(({ existing }) => existing !== true)
    .flatMap(({ type, apiVersion, copy, condition, properties }) => {
      const reference = type === DEPLOYMENT ? 'module' : `${type}@${apiVersion}`;
      const own = shape(reference, copy !== undefined, condition !== undefined);
      return [own, ...(properties?.template === undefined ? [] : armShapes(properties.template))];
    })
    .sort();
}

/** Returns the declarations of a Bicep file, including its modules, in the format of {@link armShapes}. */
export function bicepShapes(file: string, root: string): string[] {
  return parseDeclarations(file, readFileSync(join(root, file), 'utf8'))
    .filter(({ keyword, existing }) => (keyword === 'resource' || keyword === 'module') && !existing)
    .flatMap((one) => shapesOf(one, file, root))
    .sort();
}

function shapesOf({ keyword, reference, value }: Declaration, file: string, root: string): string[] {
  const loop = value?.kind === 'for' ? value : undefined;
  const body: Expression | undefined = loop?.body ?? value;
  const own = shape(keyword === 'module' ? 'module' : reference, loop !== undefined, body?.kind === 'if');
  return [own, ...(keyword === 'module' ? bicepShapes(join(dirname(file), reference), root) : [])];
}
