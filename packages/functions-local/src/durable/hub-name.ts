// With 45 characters the names of tables, queues and containers stay within their limits.
const LONGEST = 45;

/** What the extension demands of a task hub's name on Azure Storage. */
export const HUB_NAME_RULE = '3 to 45 letters and digits, a letter first';

/** Whether a task hub may have this name. */
export function isHubName(name: string): boolean {
  return /^[a-z][a-z0-9]{2,44}$/i.test(name);
}

/**
 * The task hub of an app that names none, made from the app's name as the extension makes it: other characters dropped, `t`
 * before a digit, cut, and filled up with `Hub`.
 */
export function toHubName(siteName: string): string {
  const characters = siteName.replace(/[^a-z0-9]/gi, '');
  if (characters === '') return 'DefaultTaskHub';
  const name = `${/^\d/.test(characters) ? 't' : ''}${characters}`.slice(0, LONGEST);
  return name.length < 3 ? `${name}Hub` : name;
}
