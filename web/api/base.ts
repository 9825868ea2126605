/** The script is served at <api>/dashboard/<file>, wherever a gateway puts the API. */
export const API = new URL('../', import.meta.url);
