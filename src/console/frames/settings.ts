// The frames of settings of a repository, of an organization, and of the person who is signed in. Each has a menu at the side.

import { pagePath } from '#console/components/address.ts';
import type { Frame, PageContent } from '#console/page.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { ofAccount } from './account.ts';
import { plainFrame } from './plain.ts';
import { inRepository, type ShownRepository } from './repository.ts';

/** An entry of a menu: its path below the settings, its title, and who sees it. */
type Entry = readonly [path: string, title: string, needs?: 'admin' | 'push' | 'pull'];
type Group = readonly [title: string, entries: readonly Entry[]];

const ofRepository: readonly Group[] = [
  [
    'This repository',
    [
      ['settings', 'General', 'admin'],
      ['settings/access', 'People and teams', 'push'],
      ['settings/installations', 'Installed apps', 'admin'],
      ['settings/custom-properties', 'Custom properties', 'pull'],
    ],
  ],
  [
    'Code',
    [
      ['settings/branches', 'Branch protection', 'admin'],
      ['rules', 'Rulesets', 'pull'],
      ['settings/keys', 'Deploy keys', 'admin'],
      ['settings/key_links', 'Autolinks', 'admin'],
      ['settings/security_analysis', 'Security', 'admin'],
      ['settings/interaction_limits', 'Interaction limits', 'admin'],
    ],
  ],
  [
    'Workflows',
    [
      ['settings/actions', 'Permissions', 'admin'],
      ['settings/secrets/actions', 'Secrets', 'push'],
      ['settings/variables/actions', 'Variables', 'push'],
      ['settings/environments', 'Environments', 'pull'],
      ['settings/actions/runners', 'Runners', 'admin'],
      ['settings/hooks', 'Webhooks', 'admin'],
    ],
  ],
];

const ofOrganization: readonly Group[] = [
  [
    'This organization',
    [
      ['', 'General'],
      ['custom-properties', 'Custom properties'],
      ['issue-fields', 'Issue fields'],
      ['interaction_limits', 'Interaction limits'],
      ['hooks', 'Webhooks'],
    ],
  ],
  [
    'Code',
    [
      ['rules', 'Rulesets'],
      ['security_products', 'Security'],
    ],
  ],
  [
    'Workflows',
    [
      ['actions', 'Permissions'],
      ['secrets/actions', 'Secrets'],
      ['variables/actions', 'Variables'],
      ['actions/runners', 'Runners'],
      ['actions/runner-groups', 'Runner groups'],
      ['actions/hosted-runners', 'Hosted runners'],
      ['private-registries', 'Private registries'],
    ],
  ],
  [
    'Access',
    [
      ['installations', 'Installed apps'],
      ['personal-access-tokens', 'Fine-grained tokens'],
    ],
  ],
];

const ofPerson: readonly Group[] = [
  [
    'Signing in',
    [
      ['sessions', 'Sessions'],
      ['password', 'Password'],
      ['emails', 'E-mail addresses'],
    ],
  ],
  [
    'Access',
    [
      ['keys', 'SSH and GPG keys'],
      ['tokens', 'Tokens'],
      ['applications', 'Applications'],
      ['installations', 'Installed apps'],
      ['organizations', 'Organizations'],
    ],
  ],
];

type ShownEntry = { readonly path: string; readonly title: string; readonly isCurrent: boolean };

const sideMenu = (groups: readonly (readonly [title: string, entries: readonly ShownEntry[]])[]): TrustedHtml =>
  html`<nav class="settings-menu" aria-label="Settings">${groups
    .filter(([, entries]) => entries.length > 0)
    .map(
      ([title, entries]) =>
        html`<section><h2>${title}</h2><ul>${entries.map(
          (entry) =>
            html`<li><a href="${entry.path}"${attribute('aria-current', entry.isCurrent && 'page')}>${entry.title}</a></li>`,
        )}</ul></section>`,
    )}</nav>`;

const beside = (content: PageContent, menu: TrustedHtml): PageContent => ({
  ...content,
  body: html`<div class="split start settings">${menu}<div class="stack">${content.body}</div></div>`,
});

/** Whether the viewer holds what an entry needs. */
const holds = ({ permissions }: ShownRepository, needs: Entry[2] = 'admin'): boolean =>
  needs === 'pull' || permissions?.[needs] === true;

const repositoryFrame = inRepository('settings');

/** The frame of a repository's settings. `current`: the path of the menu's entry. */
export const inRepositorySettings = (current: string): typeof repositoryFrame => ({
  reads: repositoryFrame.reads,
  render(content, found, request) {
    const { repository } = found;
    const groups = ofRepository.map(
      ([title, entries]) =>
        [
          title,
          entries
            .filter(([, , needs]) => holds(repository, needs))
            .map(([path, name]) => ({
              path: pagePath(...repository.full_name.split('/'), ...path.split('/')),
              title: name,
              isCurrent: path === current,
            })),
        ] as const,
    );
    return repositoryFrame.render(beside(content, sideMenu(groups)), found, request);
  },
});

const accountFrame = ofAccount('settings');

/** The frame of an organization's settings. `current`: the path of the menu's entry. */
export const inOrganizationSettings = (current: string): typeof accountFrame => ({
  reads: accountFrame.reads,
  render(content, found, request) {
    // Some lists are for members too, who see no other settings.
    if (found.membership?.role !== 'admin') return accountFrame.render(content, found, request);
    const base = ['organizations', found.account.login, 'settings'];
    const groups = ofOrganization.map(
      ([title, entries]) =>
        [
          title,
          entries.map(([path, name]) => ({
            path: pagePath(...base, ...(path === '' ? [] : path.split('/'))),
            title: name,
            isCurrent: path === current,
          })),
        ] as const,
    );
    return accountFrame.render(beside(content, sideMenu(groups)), found, request);
  },
});

/** The frame of one's own settings. `current`: the path of the menu's entry. */
export const inOwnSettings = (current: string): Frame<Record<never, never>> => ({
  reads: plainFrame.reads,
  render(content, found, request) {
    const groups = ofPerson.map(
      ([title, entries]) =>
        [
          title,
          entries.map(([path, name]) => ({ path: `/settings/${path}`, title: name, isCurrent: path === current })),
        ] as const,
    );
    return plainFrame.render(beside(content, sideMenu(groups)), found, request);
  },
});
