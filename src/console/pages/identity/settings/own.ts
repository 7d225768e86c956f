// The settings of who is signed in: keys, tokens, applications, addresses and organizations.

import { pagePath } from '#console/components/address.ts';
import { permissionTexts } from '#console/components/permissions.ts';
import { settingsPerPage as per_page, settingsList } from '#console/components/settings-list.ts';
import { chips, dataTable } from '#console/components/table.ts';
import { timeAgo } from '#console/components/time.ts';
import { inOwnSettings } from '#console/frames/settings.ts';
import { page, read } from '#console/page.ts';
import { html } from '#html/template.ts';
import { listOwnEmails } from '#resources/identity/accounts/endpoints/emails.ts';
import { listPublicKeys } from '#resources/identity/accounts/endpoints/keys.ts';
import { listMemberships } from '#resources/identity/members/endpoints.ts';
import { listOwnGpgKeys } from '#resources/identity/signing-keys/endpoints/gpg-keys.ts';
import { listOwnSshSigningKeys } from '#resources/identity/signing-keys/endpoints/ssh-signing-keys.ts';
import { listOwnTokens } from '#resources/identity/tokens/endpoints.ts';
import { listOwnAuthorizations } from '#resources/repositories/apps/endpoints/pages.ts';

export const settingsPage = page({
  path: '/settings',
  frame: inOwnSettings('keys'),
  isForPeople: true,
  render: () => ({ redirect: '/settings/keys' }),
});

const accessWords = {
  granted: 'approved',
  pending: 'waits for approval',
  denied: 'was denied',
  revoked: 'was revoked',
} as const;

export const ownTokens = page({
  path: '/settings/tokens',
  frame: inOwnSettings('tokens'),
  isForPeople: true,
  reads: ({ query }) => ({ tokens: read(listOwnTokens, { query: { per_page, page: query.page } }) }),
  render: ({ tokens }, request, positions) =>
    settingsList({
      title: 'Tokens',
      intro: 'Personal access tokens act as you. Their values are known to nobody but you.',
      columns: ['Name', 'Kind', 'May', 'Last used', 'Expires', 'Created'],
      rows: tokens.map((token) => [
        html`<span dir="auto">${token.name || 'without a name'}</span>`,
        token.type === 'classic'
          ? 'classic'
          : html`fine-grained${token.owner === null ? '' : html`, for <a href="${pagePath(token.owner)}">${token.owner}</a>`}${
              token.access === null ? '' : html` <span class="badge">${accessWords[token.access]}</span>`
            }`,
        chips(token.type === 'classic' ? token.scopes : permissionTexts(token.permissions)),
        token.last_used_at === null ? 'never' : timeAgo(token.last_used_at, request.now),
        expiryText(token.expires_at, request.now),
        timeAgo(token.created_at, request.now),
      ]),
      empty: {
        icon: 'key',
        title: 'Your tokens will be listed here, with what each may do.',
        hint: html`<code>hearth token create</code> makes one on the server.`,
      },
      request,
      position: positions.tokens,
    }),
});

const expiryText = (time: string | null, now: Date) => {
  if (time === null) return 'never';
  return new Date(time) <= now ? html`<span class="bad">expired ${timeAgo(time, now)}</span>` : timeAgo(time, now);
};

export const ownApplications = page({
  path: '/settings/applications',
  frame: inOwnSettings('applications'),
  isForPeople: true,
  reads: () => ({ apps: read(listOwnAuthorizations) }),
  render: ({ apps }, request) =>
    settingsList({
      title: 'Applications',
      intro: 'Applications that act as you, since you allowed it.',
      columns: ['Name', 'May', 'Last used', 'Allowed'],
      rows: apps.map((app) => [
        app.type === 'app' ? html`<a href="${pagePath('apps', app.slug)}">${app.name}</a>` : app.name,
        chips(app.type === 'app' ? permissionTexts(app.permissions) : app.scopes),
        app.last_used_at === null ? 'never' : timeAgo(app.last_used_at, request.now),
        timeAgo(app.authorized_at, request.now),
      ]),
      empty: { icon: 'package', title: 'Applications will be listed here once you sign in with them.' },
      request,
    }),
});

export const ownKeys = page({
  path: '/settings/keys',
  frame: inOwnSettings('keys'),
  isForPeople: true,
  reads: ({ query }) => ({
    keys: read(listPublicKeys, { query: { per_page, page: query.page } }),
    signing: read(listOwnSshSigningKeys, { query: { per_page: 100 } }),
    gpg: read(listOwnGpgKeys, { query: { per_page: 100 } }),
  }),
  render: ({ keys, signing, gpg }, request, positions) =>
    settingsList({
      title: 'SSH and GPG keys',
      intro: 'SSH keys sign you in to Git. Signing keys verify your commits.',
      columns: ['Title', 'Key', 'Last used', 'Added'],
      rows: keys.map((key) => [
        html`<span dir="auto">${key.title}</span>`,
        html`<code title="${key.key}">${shortened(key.key)}</code>`,
        key.last_used === null ? 'never' : timeAgo(key.last_used, request.now),
        timeAgo(key.created_at, request.now),
      ]),
      empty: { icon: 'key', title: 'Your SSH keys will be listed here.', hint: html`Add one with <code>gh ssh-key add</code>.` },
      request,
      position: positions.keys,
      more: html`${
        signing.length > 0
          ? html`<h2>SSH signing keys</h2>${dataTable({
              caption: 'SSH signing keys',
              columns: ['Title', 'Key', 'Added'],
              rows: signing.map((key) => [
                html`<span dir="auto">${key.title}</span>`,
                html`<code title="${key.key}">${shortened(key.key)}</code>`,
                timeAgo(key.created_at, request.now),
              ]),
            })}`
          : ''
      }${
        gpg.length > 0
          ? html`<h2>GPG keys</h2>${dataTable({
              caption: 'GPG keys',
              columns: ['Key', 'Name', 'E-mail addresses', 'Expires'],
              rows: gpg.map((key) => [
                html`<code>${key.key_id}</code>${key.revoked ? html`<span class="badge">revoked</span>` : ''}`,
                html`<span dir="auto">${key.name}</span>`,
                chips(key.emails.map(({ email, verified }) => (verified ? email : `${email} (not verified)`))),
                expiryText(key.expires_at, request.now),
              ]),
            })}`
          : ''
      }`,
    }),
});

/** The type and the end of a public key. */
const shortened = (key: string): string => {
  const [type = '', text = ''] = key.split(' ');
  return `${type} …${text.slice(-16)}`;
};

export const ownEmails = page({
  path: '/settings/emails',
  frame: inOwnSettings('emails'),
  isForPeople: true,
  reads: ({ query }) => ({ emails: read(listOwnEmails, { query: { per_page, page: query.page } }) }),
  render: ({ emails }, request, positions) =>
    settingsList({
      title: 'E-mail addresses',
      intro: 'Commits with a verified address are shown as yours.',
      columns: ['Address', 'State', 'Seen by'],
      rows: emails.map((email) => [
        html`${email.email}${email.primary ? html`<span class="badge">primary</span>` : ''}`,
        email.verified ? html`<span class="ok">verified</span>` : html`<span class="wait">not verified</span>`,
        email.visibility === 'public' ? 'everybody' : 'you',
      ]),
      empty: {
        icon: 'mail',
        title: 'Your e-mail addresses will be listed here.',
        hint: html`Add one with <code>POST /user/emails</code>.`,
      },
      request,
      position: positions.emails,
    }),
});

export const ownOrganizations = page({
  path: '/settings/organizations',
  frame: inOwnSettings('organizations'),
  isForPeople: true,
  reads: ({ query }) => ({ memberships: read(listMemberships, { query: { per_page, page: query.page } }) }),
  render: ({ memberships }, request, positions) =>
    settingsList({
      title: 'Organizations',
      intro: 'Organizations that you belong to, and invitations to others.',
      columns: ['Organization', 'Role', 'State'],
      rows: memberships.map(({ organization, role, state }) => [
        html`<a href="${pagePath(organization.login)}">${organization.login}</a>`,
        role === 'admin' ? 'owner' : 'member',
        state === 'active' ? 'member' : html`<span class="wait">invited</span>`,
      ]),
      empty: { icon: 'organization', title: 'Organizations will be listed here once you are a member.' },
      request,
      position: positions.memberships,
    }),
});
