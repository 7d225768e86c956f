/** The pages on which users sign in, authorize an app, and create one. They have no scripts, and all inserted text is escaped. */

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? char);

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:10vh auto;padding:0 1rem;
color:#1f2328;background:#fff}
h1{font-size:1.3rem}label{display:block;margin:.8rem 0 .2rem}
dt{font-size:.9rem;color:#59636e}dd{margin:0 0 .5rem;overflow-wrap:anywhere}
input,select{font:inherit;width:100%;box-sizing:border-box;padding:.45rem;border:1px solid #888;border-radius:4px}
button{font:inherit;margin:1.2rem .5rem 0 0;padding:.45rem 1rem;border-radius:4px;border:1px solid #444;
background:#1f2328;color:#fff}
button.plain{background:#fff;color:#1f2328}
.problem{border-left:4px solid #b00020;padding-left:.7rem}`;

const page = (title: string, body: string): string =>
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
  `<title>${escaped(title)} · Hearth</title><style>${style}</style></head>` +
  `<body><h1>${escaped(title)}</h1>${body}</body></html>`;

const hidden = (fields: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(fields)
    .map(([name, value]) =>
      value === undefined ? '' : `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
    )
    .join('');

const problemLine = (problem: string | undefined): string =>
  problem === undefined ? '' : `<p class="problem" role="alert">${escaped(problem)}</p>`;

const list = (lines: readonly string[]): string =>
  lines.length > 0 ? `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>` : '';

export const signInPage = ({ returnTo, problem }: { returnTo: string; problem?: string }): string =>
  page(
    'Sign in',
    `${problemLine(problem)}<form method="post" action="/login">${hidden({ return_to: returnTo })}
<label for="login">User name</label><input id="login" name="login" autocomplete="username" required autofocus>
<label for="password">Password</label><input id="password" name="password" type="password"
  autocomplete="current-password" required>
<button>Sign in</button></form>`,
  );

type Consent = {
  appName: string;
  /** Whether any program can claim to be this app. */
  isPublic: boolean;
  login: string;
  permissions: readonly string[];
  action: string;
  fields: Readonly<Record<string, string | undefined>>;
};

export const consentPage = ({ appName, isPublic, login, permissions, action, fields }: Consent): string =>
  page(
    `Authorize ${appName}`,
    `<p>${escaped(appName)} wants to act for <strong>${escaped(login)}</strong>${permissions.length > 0 ? ' with:' : '.'}</p>
${list(permissions)}${
  isPublic
    ? `<p>Any program can call itself ${escaped(appName)}.
Authorize it only if you are signing in with it yourself right now.</p>`
    : ''
}
<form method="post" action="${escaped(action)}">${hidden(fields)}
<button name="answer" value="yes">Authorize</button><button class="plain" name="answer" value="no">Refuse</button></form>`,
  );

export const devicePage = ({ csrf, userCode, problem }: { csrf: string; userCode?: string; problem?: string }): string =>
  page(
    'Connect a device',
    `${problemLine(problem)}<form method="post" action="/login/device">${hidden({ csrf })}
<label for="user_code">The code that the device shows</label><input id="user_code" name="user_code"
  value="${escaped(userCode ?? '')}" autocomplete="off" required autofocus>
<button>Continue</button></form>`,
  );

type Creation = {
  /** Who will own the app. */
  owner: string;
  /** The host that gets the app's keys. */
  returnsTo: string;
  name: string;
  permissions: readonly string[];
  /** The other contents of the manifest: headings with lines. */
  facts: readonly (readonly [name: string, text: string])[];
  action: string;
  fields: Readonly<Record<string, string | undefined>>;
  problem?: string | undefined;
};

/** The page on which an owner creates an app from a manifest, and chooses its name. */
export const appManifestPage = ({ owner, returnsTo, name, permissions, facts, action, fields, problem }: Creation): string =>
  page(
    'Create an app',
    `${problemLine(problem)}
<p>${escaped(returnsTo)} asks for an app of <strong>${escaped(owner)}</strong>, and will get its keys.</p>
<form method="post" action="${escaped(action)}">${hidden(fields)}
<label for="name">Name of the app</label><input id="name" name="name" value="${escaped(name)}"
  maxlength="34" autocomplete="off" required autofocus>
<p>${permissions.length > 0 ? 'Where it is installed, it may:' : 'Where it is installed, it may read what is public.'}</p>
${list(permissions)}<dl>${facts.map(([term, text]) => `<dt>${escaped(term)}</dt><dd>${escaped(text)}</dd>`).join('')}</dl>
<button name="answer" value="yes">Create the app</button><button class="plain" name="answer" value="no"
  formnovalidate>Refuse</button></form>`,
  );

type ShownInstallation = {
  appName: string;
  account: string;
  permissions: readonly string[];
  /** The permissions that the app requests beyond the installation's; undefined if there are none. */
  asked: readonly string[] | undefined;
  fields: Readonly<Record<string, string | undefined>>;
  problem?: string | undefined;
};

/** The page of an installation. The account's owner accepts the app's new permissions on it. */
export const installationPage = ({ appName, account, permissions, asked, fields, problem }: ShownInstallation): string =>
  page(
    appName,
    `${problemLine(problem)}
<p>It is installed on <strong>${escaped(account)}</strong>${permissions.length > 0 ? ' with:' : '.'}</p>
${list(permissions)}${
  asked
    ? `<p>It asks for more:</p>
${list(asked)}<form method="post">${hidden(fields)}
<button name="answer" value="yes">Accept</button><button class="plain" name="answer" value="no">Leave it as it is</button></form>`
    : ''
}`,
  );

type Offered = {
  appName: string;
  permissions: readonly string[];
  /** The accounts on which the user may install the app. */
  accounts: readonly string[];
  fields: Readonly<Record<string, string | undefined>>;
  problem?: string | undefined;
};

/** The page on which a user installs an app. */
export const installPage = ({ appName, permissions, accounts, fields, problem }: Offered): string =>
  page(
    `Install ${appName}`,
    `${problemLine(problem)}
<p>${permissions.length > 0 ? 'It will have:' : 'It may read what is public.'}</p>
${list(permissions)}<form method="post">${hidden(fields)}
<label for="account">Account</label><select id="account" name="account">${accounts
      .map((login) => `<option>${escaped(login)}</option>`)
      .join('')}</select>
<label for="repositories">Names of its repositories, with commas between them. All of them if you name none</label>
<input id="repositories" name="repositories" autocomplete="off">
<button name="answer" value="yes">Install</button><button class="plain" name="answer" value="no">Don’t install</button></form>`,
  );

export const messagePage = (title: string, text: string): string => page(title, `<p>${escaped(text)}</p>`);
