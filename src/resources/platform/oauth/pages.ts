// The pages on which users sign in, authorize an app, and create one.
import { brand } from '#html/brand.ts';
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';

/** A page of this family: `sendPage` makes a document of it. */
export type NarrowPage = {
  readonly title: string;
  readonly body: TrustedHtml;
  /** Where its form may lead besides this server; see `contentPolicy`. */
  readonly formTargets?: readonly string[] | undefined;
};

type Fields = Readonly<Record<string, string | undefined>>;

/** What stands around these pages: the name of the server, and nothing that leads away from what was begun. */
export const narrowFrame = ({ title, body }: NarrowPage): TrustedHtml =>
  html`<header class="bar"><a class="brand" href="/" aria-label="Home">${brand}</a></header>
<main class="narrow stack" id="main"><h1>${title}</h1>${body}</main>`;

const hidden = (fields: Fields): TrustedHtml =>
  html`${Object.entries(fields).map(([name, value]) =>
    value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`,
  )}`;

const problemLine = (problem: string | undefined): Insertable =>
  problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`;

const list = (lines: readonly string[]): Insertable =>
  lines.length > 0 ? html`<ul class="rows panel">${lines.map((line) => html`<li>${line}</li>`)}</ul>` : '';

type SignInPage = { returnTo: string; problem?: string; formTargets?: readonly string[] };

export const signInPage = ({ returnTo, problem, formTargets }: SignInPage): NarrowPage => ({
  title: 'Sign in',
  formTargets,
  body: html`${problemLine(problem)}<form class="form" method="post" action="/login">${hidden({ return_to: returnTo })}
<label for="login">User name<input id="login" name="login" autocomplete="username" autocapitalize="none" spellcheck="false"
  required autofocus></label>
<label for="password">Password<input id="password" name="password" type="password" autocomplete="current-password"
  required></label>
<p><button class="first">Sign in</button></p></form>
<p class="soft small">If you have no password, or have forgotten it, ask the administrator of this server.</p>`,
});

/** The page of somebody who asks to sign out by its address. */
export const signOutPage = ({ login, csrf }: { login: string; csrf: string }): NarrowPage => ({
  title: 'Sign out',
  body: html`<p>You are signed in as <strong>${login}</strong>.</p>
<form method="post" action="/logout">${hidden({ csrf })}<div class="row"><button class="first">Sign out</button>
<a class="button" href="/">Stay</a></div></form>`,
});

type Consent = {
  appName: string;
  /** Whether any program can claim to be this app. */
  isPublic: boolean;
  login: string;
  permissions: readonly string[];
  action: string;
  fields: Fields;
  formTargets?: readonly string[];
};

export const consentPage = (consent: Consent): NarrowPage => {
  const { appName, isPublic, login, permissions, action, fields, formTargets } = consent;
  return {
    title: `Authorize ${appName}`,
    formTargets,
    body: html`<p>${appName} wants to act for <strong>${login}</strong>${permissions.length > 0 ? ' with:' : '.'}</p>
${list(permissions)}${
  isPublic
    ? html`<p class="notice">Any program can call itself ${appName}.
Authorize it only if you are signing in with it yourself right now.</p>`
    : ''
}
<form method="post" action="${action}">${hidden(fields)}
<p class="row"><button class="first" name="answer" value="yes">Authorize</button><button name="answer"
  value="no">Refuse</button></p></form>`,
  };
};

export const devicePage = ({ csrf, userCode, problem }: { csrf: string; userCode?: string; problem?: string }): NarrowPage => ({
  title: 'Connect a device',
  body: html`${problemLine(problem)}<form class="form" method="post" action="/login/device">${hidden({ csrf })}
<label for="user_code">The code that the device shows<input id="user_code" name="user_code" value="${userCode ?? ''}"
  autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus></label>
<p><button class="first">Continue</button></p></form>`,
});

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
  fields: Fields;
  formTargets: readonly string[];
  problem?: string | undefined;
};

/** The page on which an owner creates an app from a manifest, and chooses its name. */
export const appManifestPage = (creation: Creation): NarrowPage => {
  const { owner, returnsTo, name, permissions, facts, action, fields, formTargets, problem } = creation;
  return {
    title: 'Create an app',
    formTargets,
    body: html`${problemLine(problem)}
<p>${returnsTo} asks for an app of <strong>${owner}</strong>, and will get its keys.</p>
<form class="form" method="post" action="${action}">${hidden(fields)}
<label for="name">Name of the app<input id="name" name="name" value="${name}" maxlength="34" autocomplete="off" required
  autofocus></label>
<p>${permissions.length > 0 ? 'Where it is installed, it may:' : 'Where it is installed, it may read what is public.'}</p>
${list(permissions)}<dl class="facts">${facts.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>
<p class="row"><button class="first" name="answer" value="yes">Create the app</button><button name="answer" value="no"
  formnovalidate>Refuse</button></p></form>`,
  };
};

type ShownInstallation = {
  appName: string;
  account: string;
  permissions: readonly string[];
  /** The permissions that the app requests beyond the installation's; undefined if there are none. */
  asked: readonly string[] | undefined;
  fields: Fields;
  problem?: string | undefined;
};

/** The page of an installation. The account's owner accepts the app's new permissions on it. */
export const installationPage = (shown: ShownInstallation): NarrowPage => {
  const { appName, account, permissions, asked, fields, problem } = shown;
  return {
    title: appName,
    body: html`${problemLine(problem)}
<p>It is installed on <strong>${account}</strong>${permissions.length > 0 ? ' with:' : '.'}</p>
${list(permissions)}${
  asked
    ? html`<p>It asks for more:</p>
${list(asked)}<form method="post">${hidden(fields)}
<p class="row"><button class="first" name="answer" value="yes">Accept</button><button name="answer"
  value="no">Leave it as it is</button></p></form>`
    : ''
}`,
  };
};

type Offered = {
  appName: string;
  permissions: readonly string[];
  /** The accounts on which the user may install the app. */
  accounts: readonly string[];
  fields: Fields;
  /** Where the app's setup is. */
  formTargets: readonly string[];
  problem?: string | undefined;
};

/** The page on which a user installs an app. */
export const installPage = ({ appName, permissions, accounts, fields, formTargets, problem }: Offered): NarrowPage => ({
  title: `Install ${appName}`,
  formTargets,
  body: html`${problemLine(problem)}
<p>${permissions.length > 0 ? 'It will have:' : 'It may read what is public.'}</p>
${list(permissions)}<form class="form" method="post">${hidden(fields)}
<label for="account">Account<select id="account" name="account">${accounts.map(
    (login) => html`<option>${login}</option>`,
  )}</select></label>
<label for="repositories">Names of its repositories, with commas between them. All of them if you name none<input
  id="repositories" name="repositories" autocomplete="off"></label>
<p class="row"><button class="first" name="answer" value="yes">Install</button><button name="answer"
  value="no">Don’t install</button></p></form>`,
});

type FirstStart = {
  /** What was filled in before, without passwords. */
  given: Fields;
  action: string;
  problem?: string | undefined;
};

/** The page of an empty server: it makes the first administrator. */
export const firstStartPage = ({ given, action, problem }: FirstStart): NarrowPage => ({
  title: 'Welcome to Hearth',
  body: html`<p>This server is empty. Make its first administrator, and begin.</p>
${problemLine(problem)}<form class="form" method="post" action="${action}">
<label for="login">User name<input id="login" name="login" value="${given.login ?? ''}" maxlength="39" autocomplete="username"
  autocapitalize="none" spellcheck="false" required autofocus></label>
<label for="password">Password<input id="password" name="password" type="password" minlength="10" maxlength="1024"
  autocomplete="new-password" aria-describedby="password-rule" required></label>
<p class="soft small" id="password-rule">At least 10 characters. Several words are easy to remember.</p>
<label for="again">The same password again<input id="again" name="again" type="password" autocomplete="new-password"
  required></label>
<label for="organization">Organization, if several people will work together<input id="organization" name="organization"
  value="${given.organization ?? ''}" maxlength="39" autocomplete="off" autocapitalize="none" spellcheck="false"
  aria-describedby="organization-rule"></label>
<p class="soft small" id="organization-rule">Leave it empty to begin without one. You can create organizations later.</p>
<label for="repository">First repository<input id="repository" name="repository" value="${given.repository ?? 'welcome'}"
  maxlength="100" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="repository-rule"></label>
<p class="soft small" id="repository-rule">It is private: only you see it until you invite others. Leave it empty for none.</p>
<label class="check" for="token"><input id="token" name="token" type="checkbox" value="yes" checked>
Make a token for Git, which is shown once and lasts 30 days</label>
<p><button class="first">Begin</button></p></form>`,
});

type FirstSteps = {
  login: string;
  /** The address of this server. */
  origin: string;
  repository: string | undefined;
  token: string | undefined;
};

/** What to do next on a new server: how to push, and how to sign in with `gh`. */
export const firstStepsPage = ({ login, origin, repository, token }: FirstSteps): NarrowPage => {
  const { host, protocol } = new URL(origin);
  const address = `${protocol}//${login}@${host}/${repository ?? `${login}/NAME`}.git`;
  const shown = token ?? 'TOKEN';
  return {
    title: 'Hearth is yours',
    body: html`<p>You are its administrator, and signed in as <strong>${login}</strong>.</p>
${
  token === undefined
    ? ''
    : html`<h2>Your token</h2><p>It is shown this once. Git asks for it as the password.</p>
<pre tabindex="0"><code>${token}</code></pre>`
}
<h2>Push a repository</h2>
<pre tabindex="0"><code>git remote add origin ${address}
git push -u origin HEAD:main</code></pre>
<h2>Use gh</h2>
<p>gh speaks HTTPS only${protocol === 'https:' ? '.' : ', so give this server a certificate first.'}</p>
<pre tabindex="0"><code>export GH_HOST=${host}
export GH_ENTERPRISE_TOKEN=${shown}
gh api /user</code></pre>
<h2>More tokens</h2>
<p>On the machine of this server:</p>
<pre tabindex="0"><code>./hearth token create --user ${login} --kind classic --scope repo</code></pre>
<div class="row">${
      repository === undefined ? '' : html`<a class="button first" href="/${repository}">Go to ${repository}</a>`
    }<a class="button" href="/">Go to your work</a></div>`,
  };
};

export const messagePage = (title: string, text: string): NarrowPage => ({ title, body: html`<p>${text}</p>` });

/** What a form gets that no page of the session sent, or that waited for too long. */
export const outOfDate = messagePage('Try again', 'The form is out of date, or came from another site. Nothing was changed.');
