import { anonymous, type Viewer } from '#access/viewer.ts';
import { linksOf } from '#endpoint/links.ts';
import { openScope, type Scope } from '#endpoint/scope.ts';
import type { World } from './world.ts';

/** A scope as requests have them, for presenters that a test calls by themselves. */
export const scopeIn = ({ db, url, hearth, clock }: World, viewer: Viewer = anonymous): Scope =>
  openScope({ db, links: linksOf(url), viewer, now: clock.now, git: hearth.services.git });
