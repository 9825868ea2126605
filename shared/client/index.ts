/** A typed client of the HTTP API, for the command line, the dashboard and other programs. */
export { type AnswerTo, type Client, type ClientOptions, createClient, jsonOf, nextOf } from './client.ts';
export { type Keys, keysByAudience } from './keys.ts';
export {
  kindOf,
  type Place,
  ProblemError,
  type ProblemFacts,
  placeText,
  problemText,
  type Refusal,
  readProblem,
} from './problem.ts';
export type { AddressOf, AnswerOf, BodyOf, RequestTo, RouteKey } from './types.ts';
