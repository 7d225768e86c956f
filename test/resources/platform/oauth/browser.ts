/** A browser without scripts: it keeps cookies, follows nothing by itself, and fills in forms. */
export function browser(origin: string) {
  let cookie = '';
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(path, origin), { redirect: 'manual', ...init, headers: { ...init.headers, cookie } });
    const set = response.headers.get('set-cookie');
    if (set) cookie = set.split(';', 1)[0] ?? '';
    return {
      status: response.status,
      location: response.headers.get('location') ?? '',
      text: await response.text(),
      setCookie: set ?? '',
    };
  };
  return {
    get: (path: string) => send(path),
    /** Sends a form: the hidden fields of the page that holds it, and what the user fills in. */
    submit(path: string, page: string, filled: Record<string, string>, headers: Record<string, string> = { origin }) {
      const body = new URLSearchParams({ ...hiddenFields(page), ...filled });
      return send(path, { method: 'POST', body, headers });
    },
  };
}

/** The hidden fields of the form on a page. */
export function hiddenFields(page: string): Record<string, string> {
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, unescaped(value)]));
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
