/** What programs import as `sluice/client`: a typed client of the HTTP API. The command line and the dashboard use it, too. */
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
