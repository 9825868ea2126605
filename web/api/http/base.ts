/** The script lies at <api>/dashboard/<file>, wherever a gateway has put the API. */
export const API = new URL('../', import.meta.url);
