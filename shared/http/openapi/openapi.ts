/** The OpenAPI 3.1 document, generated from the table of routes and the schemas that tests check answers against. No I/O. */
import { z } from 'zod';
import { PROBLEMS, type ProblemType } from '../../errors.ts';
import { lazily } from '../../lazily.ts';
import { json, PROBLEM_TYPE_BASE } from '../edge/answers.ts';
import {
  type Content,
  isAction,
  isOpen,
  JSON_TYPE,
  jsonAnswer,
  type Route,
  type RouteParameter,
} from '../edge/route.ts';
import { COMPONENTS } from '../edge/schemas.ts';

type Json = Record<string, unknown>;

const TEXT = { type: 'string' };

/** Generates the document. */
export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = `/api/${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Sluice', version: '1', description: 'Batches in; results, one report and dead letters out.' },
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-functions-key' } },
    },
  };
}

function componentSchemas(): Json {
  const { schemas } = z.toJSONSchema(COMPONENTS, { uri: (id) => `#/components/schemas/${id}`, io: 'input' });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutIds(schema)]));
}

const withoutIds = ({ $schema: _schema, $id: _id, ...schema }: Json): Json => schema;

function schemaOf(schema: z.ZodType | 'text'): Json {
  if (schema === 'text') return TEXT;
  const id = COMPONENTS.get(schema)?.id;
  if (id !== undefined) return { $ref: `#/components/schemas/${id}` };
  if (schema instanceof z.ZodUnion) return { anyOf: schema.options.map((option) => schemaOf(option as z.ZodType)) };
  return withoutIds(z.toJSONSchema(schema));
}

/** A parameter of all actions of operators. */
const ACTOR: RouteParameter = {
  in: 'header',
  name: 'sluice-operator',
  description: 'The name of the operator for the audit log: percent-encoded, up to 80 characters',
};

function operationOf(route: Route): Json {
  const { name, summary, description, audience, parameters = [], body, example, answers } = route;
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => {
    return { name: parameter, in: 'path', required: true, schema: TEXT };
  });
  const given = isAction(route) ? [...parameters, ACTOR] : parameters;
  const optional = given.map(({ schema = TEXT, ...parameter }) => ({ ...parameter, schema }));
  return {
    operationId: name,
    summary,
    description,
    tags: isOpen(route) ? ['anyone'] : [...audience],
    security: isOpen(route) ? [] : [{ key: [] }],
    parameters: [...inPath, ...optional],
    requestBody: body && { content: contentOf(body, example) },
    responses: { ...Object.fromEntries(answers.map(answerOf)), ...problemAnswers(route) },
  };
}

const contentOf = (content: Content, example: unknown): Json =>
  Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      { schema: schemaOf(schema), example: type === JSON_TYPE ? example : undefined },
    ]),
  );

function answerOf({ status, description, content, headers = {}, example }: Route['answers'][number]): [string, Json] {
  const described = Object.entries(headers).map(([name, text]) => [name, { description: text, schema: TEXT }]);
  const body = { headers: Object.fromEntries(described), content: contentOf(content, example) };
  return [String(status), { description, ...body }];
}

/** Problems with the same status become one answer that lists their types. The host itself answers 401, with an empty body. */
function problemAnswers(route: Route): Json {
  const byStatus = new Map<number, (ProblemType | 'internal')[]>([[500, ['internal']]]);
  for (const type of route.problems) {
    const [status] = PROBLEMS[type];
    byStatus.set(status, [...(byStatus.get(status) ?? []), type]);
  }
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  const problems = [...byStatus].map(([status, names]) => [
    String(status),
    { description: `Problem: ${names.map((name) => PROBLEM_TYPE_BASE + name).join(', ')}`, content },
  ]);
  return {
    ...(isOpen(route) ? {} : { 401: { description: 'The key is missing or does not open this route' } }),
    ...Object.fromEntries(problems),
  };
}

/** The route of the OpenAPI document. It requires no key, because it returns no data. */
export const OPENAPI_ROUTES = [
  {
    name: 'openapi',
    method: 'GET',
    path: 'openapi.json',
    audience: [],
    summary: 'This document',
    answers: [jsonAnswer(200, 'OpenAPI 3.1', z.record(z.string(), z.unknown()))],
    problems: [],
    handler: (app) => {
      const document = lazily(app.document);
      return () => json(document());
    },
  },
] as const satisfies readonly Route[];
