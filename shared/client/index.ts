/** A typed client of the HTTP API, for the command line, the dashboard and other programs. */
export { type AnswerTo, type Client, type ClientOptions, createClient, jsonOf, nextOf } from './client.ts';
export { type Keys, keysByAudience } from './keys.ts';
export { type Place, ProblemError, type ProblemFacts, type Refusal } from './problem.ts';
export type { AnswerOf, BodyOf, RequestTo, RouteKey } from './types.ts';
