/** The functions of the app in this process, registered as in a worker and called by their names. */
import { readdir } from 'node:fs/promises';
import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import functions from '@azure/functions';
import { registeredFunctions } from 'functions-local/testing';

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

const FOLDER = new URL('../../../functions/', import.meta.url);

/** Registers all functions with the current settings of the environment. */
export async function registerFunctions(): Promise<void> {
  for (const file of await readdir(FOLDER)) await import(new URL(file, FOLDER).href);
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
