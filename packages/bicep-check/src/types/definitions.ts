/**
 * Reads the official type definitions of Azure's resources, which Bicep itself uses: github.com/Azure/bicep-types-az (MIT). They
 * are read from a checkout of that repository and are not part of this one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Ref {
  $ref: string;
}
interface Property {
  type: Ref;
  /** Bits: 1 required, 2 read-only, 4 write-only, 8 known when the deployment starts, 16 names the resource. */
  flags: number;
}
/** A type in the format of that repository (bicep-types/src, version 1); references are positions in the list. */
export type RawType =
  | { $type: 'AnyType' | 'NullType' | 'BooleanType' }
  | { $type: 'IntegerType'; minValue?: number; maxValue?: number }
  | { $type: 'StringType'; minLength?: number; maxLength?: number; pattern?: string }
  | { $type: 'StringLiteralType'; value: string }
  | { $type: 'UnionType'; elements: Ref[] }
  | { $type: 'ArrayType'; itemType: Ref; minLength?: number; maxLength?: number }
  | { $type: 'ObjectType'; name: string; properties: Record<string, Property>; additionalProperties?: Ref }
  | {
      $type: 'DiscriminatedObjectType';
      name: string;
      discriminator: string;
      baseProperties: Record<string, Property>;
      elements: Record<string, Ref>;
    }
  | { $type: 'ResourceType'; name: string; body: Ref }
  | { $type: 'ResourceFunctionType' };

/** A type with the list to which its references point. */
export interface Definition {
  type: RawType;
  list: readonly RawType[];
}
export const REQUIRED = 1;
export const READ_ONLY = 2;

/** Finds the body of `type@version`; undefined if there is none. */
export type Definitions = (reference: string) => Definition | undefined;

/** Returns the type of a reference. */
export function follow(list: readonly RawType[], { $ref }: Ref): Definition {
  const type = list[Number($ref.slice(2))];
  if (type === undefined) throw new Error(`Expected a type at ${$ref}, got none.`);
  return { type, list };
}

/** Creates definitions from lists of types, each in the format of a `types.json`. */
export function definitionsOf(lists: (reference: string) => readonly (readonly RawType[])[]): Definitions {
  return (reference) => {
    for (const list of lists(reference)) {
      const found = list.find(
        (type) => type.$type === 'ResourceType' && type.name.toLowerCase() === reference.toLowerCase(),
      );
      if (found?.$type === 'ResourceType') return follow(list, found.body);
    }
    return undefined;
  };
}

/**
 * Reads definitions from a checkout of Azure/bicep-types-az.
 * @param folder Root of the checkout; only the folders of the requested namespaces are required.
 */
export function readDefinitions(folder: string): Definitions {
  const read = new Map<string, readonly RawType[]>();
  const generated = join(folder, 'generated');
  return definitionsOf((reference) => {
    const [type = '', version = ''] = reference.split('@');
    const namespace = type.split('/')[0]?.toLowerCase() ?? '';
    return readdirSync(generated)
      .map((provider) => join(generated, provider, namespace, version, 'types.json'))
      .filter((path) => existsSync(path))
      .map((path) => {
        const list = read.get(path) ?? (JSON.parse(readFileSync(path, 'utf8')) as RawType[]);
        read.set(path, list);
        return list;
      });
  });
}
