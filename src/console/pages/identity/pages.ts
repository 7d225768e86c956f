import type { Page } from '#console/page.ts';
import { appPage } from './app.ts';
import { organizationPath, peoplePage } from './people.ts';
import { profilePage } from './profile.ts';
import { organizationRepositoriesPage } from './repositories.ts';
import * as access from './settings/access.ts';
import { branchesPage } from './settings/branches.ts';
import * as general from './settings/general.ts';
import * as own from './settings/own.ts';
import * as properties from './settings/properties.ts';
import * as rulesets from './settings/rulesets.ts';
import * as runners from './settings/runners.ts';
import * as secrets from './settings/secrets.ts';
import * as webhooks from './settings/webhooks.ts';
import { teamPage, teamsPage } from './teams.ts';

/** Modules that hold nothing but pages. */
const settings: readonly Readonly<Record<string, Page>>[] = [
  access,
  general,
  own,
  properties,
  rulesets,
  runners,
  secrets,
  webhooks,
];

export const identityPages: readonly Page[] = [
  profilePage,
  organizationPath,
  organizationRepositoriesPage,
  peoplePage,
  teamsPage,
  teamPage,
  appPage,
  branchesPage,
  ...settings.flatMap((module) => Object.values(module)),
];
