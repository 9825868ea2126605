// With 45 characters, the names of tables, queues and containers stay within their limits.
const LONGEST = 45;

/** The rule of the extension for the name of a task hub on Azure Storage. */
export const HUB_NAME_RULE = '3 to 45 letters and digits that start with a letter';

/** Whether a task hub can have this name. */
export function isHubName(name: string): boolean {
  return /^[a-z][a-z0-9]{2,44}$/i.test(name);
}

/**
 * Derives the name of the task hub from the app's name, as the extension does if none is configured: removes other
 * characters, adds `t` before a leading digit, truncates, and appends `Hub` to a name that is too short.
 */
export function toHubName(siteName: string): string {
  const characters = siteName.replace(/[^a-z0-9]/gi, '');
  if (characters === '') return 'DefaultTaskHub';
  const name = `${/^\d/.test(characters) ? 't' : ''}${characters}`.slice(0, LONGEST);
  return name.length < 3 ? `${name}Hub` : name;
}
