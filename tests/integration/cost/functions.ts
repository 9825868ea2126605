/** The functions of the app in this process, registered as in a worker and called by their names. */
import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import functions from '@azure/functions';
import { registeredFunctions } from 'functions-local/testing';
import { createRegistration, type Registration } from '../../../functions/app.ts';
import { registerAll } from '../../../functions/register-all.ts';
import host from '../../../host.json' with { type: 'json' };
import { registry } from '../../../workloads/index.ts';

/** A request to a function. */
export interface Asked {
  name: string;
  method?: string;
  /** The path, with the query. */
  path: string;
  params?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

/** A response that was read completely. */
export interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

type Callback = (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit>;

const OPTIONS = { workloads: registry, thread: new URL('../../../workloads/thread', import.meta.url), host };

/** Creates the pipeline of the app with the current settings of the environment. */
export const createAppPipeline = async (): Promise<Registration['pipeline']> =>
  (await createRegistration(OPTIONS)).pipeline;

/** Registers the functions of the app as in a worker, and returns its pipeline. */
export async function registerFunctions(): Promise<Registration['pipeline']> {
  const registration = await createRegistration(OPTIONS);
  registerAll(registration);
  return registration.pipeline;
}

/** Calls an HTTP function. */
export async function ask({ name, method = 'GET', path, params = {}, headers = {}, body }: Asked): Promise<Answered> {
  const found = registeredFunctions.find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`No function ${name} is registered.`);
  const request = new functions.HttpRequest({
    ...{ url: `http://localhost/api/${path}`, method, params, headers },
    ...(body === undefined ? {} : { body: { string: body } }),
  });
  const context = new functions.InvocationContext({ functionName: name, logHandler: () => undefined });
  const response = new functions.HttpResponse(await (found.callback as Callback)(request, context));
  return { status: response.status, headers: response.headers as unknown as Headers, text: await response.text() };
}
