import { anonymous, type Viewer } from '#access/viewer.ts';
import { linksOf } from '#endpoint/links.ts';
import { openScope, type Scope } from '#endpoint/scope.ts';
import type { World } from './world.ts';

/** A request's scope, for presenters that a test calls directly. */
export const scopeIn = ({ db, url, hearth, clock }: World, viewer: Viewer = anonymous): Scope =>
  openScope({ db, links: linksOf(url), viewer, now: clock.now, git: hearth.services.git });
