// Sends forms of pages as a browser does, or as an attacker would.
import type { Account } from '#access/viewer.ts';
import { hiddenFields } from '#test/resources/platform/oauth/browser.ts';
import { sessionCookie } from './page-client.ts';
import type { World } from './world.ts';

export type SentReply = { status: number; location: string; text: string; headers: Headers };

type Sending = {
  /** Headers besides the cookie and the origin; undefined leaves one out. */
  headers?: Record<string, string | undefined>;
  /** Fields besides those of the form; undefined leaves one out. */
  fields?: Record<string, string | undefined>;
};

export type FormClient = {
  cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<SentReply>;
  /** Opens a page and sends a form of it: its hidden fields, and what is filled in. */
  send(page: string, address: string, sending?: Sending): Promise<SentReply>;
};

const given = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** Sends forms as an account, or as a visitor. Redirects aren't followed. */
export async function formsAs(world: World, account?: Account): Promise<FormClient> {
  const cookie = account === undefined ? '' : await sessionCookie(world, account);
  const fetched = async (path: string, init: RequestInit): Promise<SentReply> => {
    const response = await fetch(`${world.url}${path}`, { redirect: 'manual', ...init });
    const { status, headers } = response;
    return { status, headers, location: headers.get('location') ?? '', text: await response.text() };
  };
  const get = (path: string, headers = {}) => fetched(path, { headers: { accept: 'text/html', cookie, ...headers } });
  return {
    cookie,
    get,
    async send(page, address, { headers = {}, fields = {} } = {}) {
      const { text } = await get(page);
      const body = new URLSearchParams(given({ ...hiddenFields(text), ...fields }));
      const all = given({ accept: 'text/html', cookie, origin: world.url, ...headers });
      return fetched(address, { method: 'POST', headers: all, body });
    },
  };
}
