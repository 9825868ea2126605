/** Reads the resource group with az. The checks compare it with what infra/ deploys. */
import type { Tools } from './tools.ts';

export interface Resource {
  id: string;
  name: string;
  type: string;
  location: string;
}

export interface App {
  id: string;
  name: string;
  /** Base address without a path. */
  url: string;
  settings: Readonly<Record<string, string>>;
}

export interface Deployment {
  group: string;
  /** Region of the first app. */
  location: string;
  /** Resource id of the group. */
  groupId: string;
  resources: readonly Resource[];
  /** The app that receives requests comes first. */
  apps: readonly App[];
}

/**
 * Reads the deployment: lists the group, and reads each app with two calls.
 * @throws Error if az fails, or if the group has no app of that name.
 */
export async function readDeployment(
  { az }: Pick<Tools, 'az'>,
  { group, app }: { group: string; app: string },
): Promise<Deployment> {
  const resources = (await az('resource', 'list', '--resource-group', group)) as Resource[];
  const sites = resources.filter(({ type }) => type.toLowerCase() === 'microsoft.web/sites');
  const first = sites.find(({ name }) => name === app);
  if (first === undefined)
    throw new Error(
      `Group ${group} has no app "${app}"; it has ${sites.map(({ name }) => name).join(', ') || 'none'}.`,
    );
  const apps: App[] = [];
  for (const site of [first, ...sites.filter((each) => each !== first)]) apps.push(await readApp({ az }, group, site));
  return { group, location: first.location, groupId: first.id.split(/\/providers\//i)[0] ?? '', resources, apps };
}

async function readApp({ az }: Pick<Tools, 'az'>, group: string, { id, name }: Resource): Promise<App> {
  const { properties } = (await az('resource', 'show', '--ids', id)) as { properties: { defaultHostName: string } };
  return { id, name, url: `https://${properties.defaultHostName}`, settings: await readSettings({ az }, group, name) };
}

/** Reads the settings of an app. */
export async function readSettings({ az }: Pick<Tools, 'az'>, group: string, name: string): Promise<App['settings']> {
  const list = ['functionapp', 'config', 'appsettings', 'list', '--resource-group', group, '--name', name];
  const settings = (await az(...list)) as { name: string; value: string }[];
  return Object.fromEntries(settings.map((each) => [each.name, each.value]));
}

/** Returns the resources of a type. */
export const ofType = ({ resources }: Deployment, type: string): Resource[] =>
  resources.filter((each) => each.type.toLowerCase() === type.toLowerCase());

/** Returns the pool of an app; `all` if it runs all workloads. */
export const poolOf = ({ settings }: App): string => settings.SLUICE_POOL ?? 'all';

/** Returns the first label of the host in a setting such as `https://account.queue.core.windows.net`. */
export const accountOf = ({ settings }: App, setting: string): string =>
  /^(?:https:\/\/)?([^./]+)/.exec(settings[setting] ?? '')?.[1] ?? '';
