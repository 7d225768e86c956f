import { expect } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { changePassword } from '#resources/platform/oauth/index.ts';
import { cheapHash, password } from '#test/resources/platform/oauth/accounts.ts';
import { hiddenFields } from '#test/resources/platform/oauth/browser.ts';
import { type Served, type SiteRequest, sendTo } from '#test/support/websites.ts';
import type { World } from '#test/support/world.ts';

/** Those who have a password. To set it again would end their sessions. */
const known = new WeakSet<Account>();

/** The server itself and that of websites, as a proxy in front of both knows them. */
export type Servers = { here: World; server: string; sites: number };

type Visit = { url: string } & Served;

/**
 * A browser that goes to any host of a server or its websites. It keeps cookies by the rules of browsers, and follows nothing by
 * itself.
 */
export function visitor({ here, server, sites }: Servers) {
  const jar = new Map<string, Map<string, string>>();
  const own = new URL(server);

  const keep = ({ host, protocol }: URL, text: string): void => {
    const [pair = '', ...attributes] = text.split('; ');
    const [name = '', value = ''] = pair.split('=');
    const cookies = jar.get(host) ?? new Map<string, string>();
    jar.set(host, cookies);
    if (attributes.includes('Max-Age=0')) return void cookies.delete(name);
    expect(attributes, text).toEqual(expect.arrayContaining(['HttpOnly', 'Path=/', 'SameSite=Lax']));
    expect(text).not.toContain('Domain');
    expect(attributes.includes('Secure'), text).toBe(protocol === 'https:');
    cookies.set(name, value);
  };

  const visit = async (url: string, { headers, ...more }: SiteRequest = {}): Promise<Visit> => {
    const target = new URL(url);
    const { host, protocol, pathname, search } = target;
    const cookie = [...(jar.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const port = host === own.host ? Number(new URL(here.url).port) : sites;
    const served = await sendTo(port, pathname + search, {
      host,
      headers: { 'x-forwarded-proto': protocol.slice(0, -1), ...(cookie === '' ? {} : { cookie }), ...headers },
      ...more,
    });
    for (const text of served.headers['set-cookie'] ?? []) keep(target, text);
    return { url, ...served };
  };

  /** Goes on from a reply as long as it leads elsewhere. */
  const follow = async (from: Visit, most = 6): Promise<Visit> => {
    const { location } = from.headers;
    if (location === undefined || most === 0) return from;
    return follow(await visit(new URL(location, from.url).href), most - 1);
  };

  const submit = (page: Visit, path: string, filled: Record<string, string>) =>
    visit(`${server}${path}`, {
      method: 'POST',
      content: new URLSearchParams({ ...hiddenFields(page.body), ...filled }).toString(),
      headers: { origin: server, 'content-type': 'application/x-www-form-urlencoded' },
    });

  return {
    /** The cookies by their hosts. */
    jar,
    visit,
    open: async (url: string): Promise<Visit> => follow(await visit(url)),
    /** Fills in the sign-in page that a browser was led to, and goes on from there. */
    async signIn(user: Account, page?: Visit): Promise<Visit> {
      if (!known.has(user)) await here.change((scope) => changePassword(scope, user.id, cheapHash(password)));
      known.add(user);
      return follow(await submit(page ?? (await visit(`${server}/login`)), '/login', { login: user.login, password }));
    },
    async signOut(): Promise<void> {
      const page = await visit(`${server}/login/device`);
      expect(await submit(page, '/logout', {})).toMatchObject({ status: 303 });
    },
  };
}
