/** The page of a resource in docs/api: its routes, as they are declared. */
import { PROBLEMS } from '../../shared/errors.ts';
import { isOpen, type Route, type RouteParameter } from '../../shared/http/edge/route.ts';
import { fieldsOf, nameOf, namesIn, type Row, type Schema, typeOf } from './fields.ts';
import { table } from './markdown.ts';

type Content = Readonly<Record<string, { schema: Schema; example?: unknown }>>;

/** The parts of the OpenAPI document that the pages use. */
export interface Described {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}
interface Operation {
  parameters: readonly RouteParameter[];
  requestBody?: { content: Content };
  responses: Readonly<Record<string, { content?: Content }>>;
}

/** Returns the page of a resource. `document` is the OpenAPI document of all routes. */
export function resourcePage(name: string, routes: readonly Route[], document: Described): string {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1).replace('-', ' ')}`;
  const operations = routes.map(({ method, path }) => document.paths[`/api/${path}`]?.[method.toLowerCase()]);
  const shapes = shapesOf(operations, document);
  return `${[
    `# HTTP API: ${title}`,
    '',
    'For developers of clients and of scripts: the routes of a resource with their parameters, answers, problems and fields.',
    '',
    'What all routes have in common, and how they work together, is in [HTTP API](../api.md). `npm run generate` writes this page',
    'from the table of routes.',
    '',
    ...routes.map((route) => `- [${headOf(route)}](#${anchorOf(headOf(route))}): ${route.summary}`),
    '',
    ...routes.flatMap((route, n) => section(route, operations[n])),
    ...shapes.flatMap((id) => [
      `## ${id}`,
      '',
      ...table(['field', ''], fieldsOf(document.components.schemas[id] ?? {})),
    ]),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

/** Names of all schemas that the operations use, also inside of each other. */
function shapesOf(operations: readonly (Operation | undefined)[], { components }: Described): string[] {
  const names = namesIn(operations).filter((id) => id !== 'Problem');
  for (const id of names)
    names.push(...namesIn(components.schemas[id] ?? {}).filter((other) => !names.includes(other)));
  return names.toSorted();
}

const headOf = ({ method, path }: Route): string => `${method} ${path}`;
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

function section(route: Route, operation: Operation | undefined): string[] {
  const { name, summary, description } = route;
  const parameters = operation?.parameters.filter(({ in: where }) => where in SHOWN_IN) ?? [];
  return [
    `## ${headOf(route)}`,
    '',
    `${summary}.`,
    '',
    ...(description === undefined ? [] : [description, '']),
    `Function \`${name}\`, ${isOpen(route) ? 'without a key' : `with the key of ${whoOf(route)}`}.`,
    '',
    ...table(['parameter', ''], parameters.map(parameterRow)),
    ...(operation?.requestBody ? body(operation.requestBody.content) : []),
    ...answers(route, operation),
  ];
}

const whoOf = ({ audience }: Route): string =>
  audience.map((who) => (who === 'client' ? 'a client' : 'an operator')).join(' or ');

/** Parameters in the path are in the heading. */
const SHOWN_IN = { query: true, header: true };

function parameterRow({ in: where, name, description, schema = {} }: RouteParameter): Row {
  const { default: fallback } = schema as Schema;
  const known = `${typeOf(schema as Schema)}${fallback === undefined ? '' : `, by default ${fallback}`}`;
  return [where === 'query' ? `?${name}=` : name, `${known}. ${description}`];
}

function body(content: Content): string[] {
  const types = Object.entries(content);
  const [[, { schema, example }] = ['', { schema: {} as Schema }]] = types;
  if (schema.type === 'string') return [`Body: ${types.map(([type]) => `\`${type}\``).join(', ')}`, ''];
  return [`Body: ${shapeText(schema)}`, '', ...code(example), ...inline(schema)];
}

function answers({ answers: all, problems }: Route, operation: Operation | undefined): string[] {
  const lines = all.flatMap(({ status, description, headers = {} }) => {
    const content = Object.entries(operation?.responses[status]?.content ?? {});
    const shapes = content.map(([type, { schema }]) => (schema.type === 'string' ? `\`${type}\`` : shapeText(schema)));
    const text = `- **${status}** ${description}${shapes.length === 0 ? '' : `: ${shapes.join(', or ')}`}`;
    return [text, ...Object.entries(headers).map(([header, meaning]) => `  - header \`${header}\`: ${meaning}`)];
  });
  const refusals = problems.map((type) => `\`${type}\` (${PROBLEMS[type][0]})`);
  const fields = Object.values(operation?.responses ?? {}).flatMap(({ content = {} }) =>
    Object.entries(content).flatMap(([type, { schema, example }]) =>
      type === 'application/json' ? [...code(example), ...inline(schema)] : [],
    ),
  );
  return [...lines, ...(refusals.length === 0 ? [] : [`- **Problems** ${refusals.join(', ')}`]), '', ...fields];
}

const shapeText = (schema: Schema): string =>
  schema.anyOf?.every(nameOf) || nameOf(schema) !== undefined ? typeOf(schema) : 'these fields';

const code = (example: unknown): string[] =>
  example === undefined ? [] : ['```json', JSON.stringify(example, null, 2), '```', ''];

/** The fields of a schema without a name. */
const inline = (schema: Schema): string[] =>
  nameOf(schema) !== undefined ? [] : table(['field', ''], fieldsOf(schema));
